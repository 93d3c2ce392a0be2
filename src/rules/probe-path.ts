/**
 * Whether a suffix is one that scanners request from every site, in search of vulnerable programs and secrets: no person has
 * mistyped a link there. It only keeps lists of mistyped addresses readable, and refuses nothing.
 */
export function isProbe(suffix: string): boolean {
  const segments = suffix.toLowerCase().split('/');
  return (
    segments.some((segment) => segment.startsWith('.') || probedPart.test(segment)) ||
    probedFirst.test(segments[0] ?? '') ||
    probedFile.test(segments.at(-1) ?? '')
  );
}

/** Anywhere in a path. */
const probedPart =
  /^(?:wp-.+|wordpress|phpmyadmin.*|pma|cgi-bin|node_modules|_?ignition|phpunit|eval-stdin.*)$/;

/** Beginnings of paths: consoles, programs, and files that browsers request from every site by themselves. */
const probedFirst =
  /^(?:wp|admin|administrator|adminer|myadmin|v\d+|api|rest|graphql|vendor|actuator|solr|jenkins|hudson|owa|autodiscover|boaform|goform|manager|telescope|console|_profiler|server-status|server-info|geoserver|hnap1|sdk|xmlrpc|laravel|druid|nacos|swagger[\w-]*|cdn-cgi|portal|remote|ecp|evox|nmaplowercheck\d*|favicon.*|apple-touch-icon.*|browserconfig\.xml|(?:app-)?ads\.txt|security\.txt|humans\.txt|crossdomain\.xml|(?:site\.web)?manifest(?:\.json)?|site\.webmanifest|sitemap.*|sw\.js|service-worker\.js)$/;

/** Programs, settings, dumps and archives. Pages, pictures and documents may well be parts of a link's suffix. */
const probedFile =
  /\.(?:php\d?|phtml|aspx?|ashx|asmx|jspx?|action|cgi|pl|py|rb|sh|exe|dll|bat|cmd|ini|env|cfg|conf|config|ya?ml|toml|properties|log|sql|sqlite3?|db|mdb|bak|backup|old|orig|save|swp|zip|rar|7z|tar|t?gz|bz2|xz|war|jar|js|mjs|map|css|key|pem|passwd|htaccess|htpasswd)~?$/;
