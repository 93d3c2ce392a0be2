import { createIsbotFromList, list as isbotWords } from 'isbot';
import type { ClassReason } from '../click-fields.ts';

/**
 * The agents that fetch a page to show its title, text and picture where a link was pasted, by names that only they have:
 * `[Pinterest/iOS]` and `Snapchat/12` are people, in the browser inside those apps.
 */
export const previewCrawlers =
  /facebookexternalhit|facebot|meta-externalfetcher|twitterbot|linkedinbot|slackbot|slack-imgproxy|discordbot|telegrambot|skypeuripreview|microsoftpreview|pinterest(?:bot)?\/\d|redditbot|vkshare|snap url preview|line-poker|kakaotalk-scrap|cardyb|mastodon\/\d|synapse \(bot|summalybot|embedly|iframely|opengraph|unfurl|link ?preview|dingtalkbot-linkservice|flipboardproxy|mattermost-|zulipurlpreview|nextcloud server crawler|xing-contenttabreceiver|google-pagerenderer/i;

/** Apps that fetch the page themselves, under their bare name; after a browser's name it is their own browser. */
export const previewApps =
  /^(?:whatsapp|viber|signal-desktop|rocket\.chat|lemmy|misskey|akkoma|pleroma|friendica)\b(?!.*applewebkit)/i;

/**
 * Machines that state their purpose, in the order in which they are checked. Among the scanners: Gmail's, which pretends to be
 * Edge 12 and is recognised by its end, and Office, which tries a link before it passes it to a browser.
 */
export const machines: readonly (readonly [ClassReason, RegExp])[] = [
  [
    'link_scanner',
    /barracuda|proofpoint|mimecast|symantec|messagelabs|bluecoat|fireeye|trellix|forcepoint|websense|sophos|forti(?:guard|mail|sandbox|net)|trend ?micro|zscaler|ironport|avanan|hornetsecurity|vade ?secure|cloudmark|kaspersky lab|clamav|virustotal|urlscan|phishtank|netcraft|safedns|palo alto networks|google-?safety|safe ?browsing|safe ?links|url ?defense|scmguard|edge\/12\.246 mozilla\/5\.0$|microsoft office|ms-?office|microsoft[ -](?:exchange|cryptoapi)/i,
  ],
  [
    'monitor',
    /uptime|pingdom|statuscake|site24x7|health-?check|googlehc|kube-probe|datadog|new ?relic|checkly|updown\.io|check_http|nagios|icinga|zabbix|blackbox[ -]exporter|prometheus|catchpoint|dejaclick|synthetic|hetrixtools|freshping|gtmetrix|ptst\/|endpoint monitor|sitemonitor|monitoring/i,
  ],
  [
    'automation',
    /headless|phantomjs|puppeteer|playwright|selenium|webdriver|cypress\/|lighthouse|page ?speed|jsdom|slimerjs/i,
  ],
  [
    'http_library',
    /^(?:curl|wget|python|aiohttp|httpx|go-http-client|go-resty|okhttp|axios|node|undici|got|superagent|bun|deno|java|apache-httpclient|jakarta|reactor-netty|ruby|faraday|typhoeus|http\.rb|php|guzzle|symfony|reqwest|hyper|rest-?sharp|postmanruntime|insomnia|httpie|winhttp|dart|dio|perl|lua-resty|scrapy|ahc|http_request2|aria2)\b|libwww(?!-fm|\/\d\S* modified)|powershell\/|okhttp\/|cfnetwork\/|dalvik\/|apache-httpclient\//i,
  ],
];

/** Machines by their names, which may appear beside a browser's user agent. Cubot makes phones, Logicom an M bot Tab. */
export const crawler =
  /(?<!cu)bots?\b(?! tab)|(?<!cu)bot[/_-]|crawl|spider|slurp|archiver|mediapartners|googleother|-user\/\d|brandverity|thousandeyes|rendertron|prerender|assetnote|htmlunit|heritrix|nutch|ia_archive|ips-agent|ichiro\/|google(?: favicon| search console|weblight|-(?!pixel|nexus|tv)[a-z])|duplexweb|playstore-google|newsai\/|newsnow\/|miniature\.io|ylt chrome|tsm-turingos/i;

/**
 * Words that isbot matches and that browsers contain as well: Toutiao and SmartNews are news apps, Google makes televisions, and
 * phones have all sorts of names. Beside an engine they mean nothing by themselves.
 */
const harmlessBesideEngine: ReadonlySet<string> = new Set([
  '(?:^|[^g])news(?!sapphire)',
  '(?<! channel/|google/)google(?!(?:wv|app|/google| pixel))',
  'catch',
  'discovery',
]);

/** isbot's words, without the harmless ones. */
export const isbotBesideEngine = createIsbotFromList(
  isbotWords.filter((word) => !harmlessBesideEngine.has(word)),
);
