import { expect, test } from 'bun:test';
import { isProbe } from './probe-path.ts';

test('requests that scanners and browsers make on every site are distinguished from typing errors', () => {
  const probes = [
    'wp-login.php',
    'WP-Admin/setup-config.php',
    'blog/wp-includes/wlwmanifest.xml',
    'wordpress/xmlrpc',
    '.env',
    '.git/config',
    'app/.aws/credentials',
    'vendor/phpunit/phpunit/src/Util/PHP/eval-stdin.php',
    'phpmyadmin/index',
    'cgi-bin/luci',
    'backup.zip',
    'db.sql.gz',
    'actuator/health',
    'v1/link',
    'index.php',
    'favicon-32x32.png',
    'apple-touch-icon-precomposed.png',
    'ads.txt',
    'site.webmanifest',
  ];
  expect(probes.filter((suffix) => !isProbe(suffix))).toEqual([]);
  const mistyped = [
    'sumer-sale',
    'Sommerfest_2030',
    'menu.pdf',
    'map.html',
    'poster.jpg',
    'api-days',
    'vendors',
    'wpa',
    'conference/admission',
    'v1.2',
    'café',
    '🎉',
    'node',
    'shop.',
  ];
  expect(mistyped.filter(isProbe)).toEqual([]);
});
