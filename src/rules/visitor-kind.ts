import { isbot } from 'isbot';
import type { AgentKind, Device } from './resolve.ts';

/**
 * The agents that fetch a page to show its title, text and picture where a link was pasted, by names that only they
 * have: `[Pinterest/iOS]` and `Snapchat/12` are people, in the browser inside those apps.
 */
const previewCrawlers =
  /facebookexternalhit|facebot|meta-externalfetcher|twitterbot|linkedinbot|slackbot|slack-imgproxy|discordbot|telegrambot|skypeuripreview|microsoftpreview|pinterest(?:bot)?\/\d|redditbot|vkshare|snap url preview|line-poker|kakaotalk-scrap|cardyb|mastodon\/\d|synapse \(bot|summalybot|embedly|iframely|opengraph|unfurl|link ?preview|dingtalkbot-linkservice|flipboardproxy|mattermost-|zulipurlpreview|nextcloud server crawler|xing-contenttabreceiver|google-pagerenderer/i;

/** Apps that fetch the page themselves, under their bare name; behind a browser's name it is their own browser. */
const previewApps =
  /^(?:whatsapp|viber|signal-desktop|rocket\.chat|lemmy|misskey|akkoma|pleroma|friendica)\b/i;

/** A client without a user agent is a script: no browser leaves it out. */
export function agentKind(userAgent: string | null): AgentKind {
  if (!userAgent) return 'bot';
  if (previewCrawlers.test(userAgent) || previewApps.test(userAgent)) return 'preview';
  return isbot(userAgent) ? 'bot' : 'person';
}

/**
 * Client hints first: they are what the browser says of its system on purpose, while a user agent may pretend.
 * An iPad that asks for desktop pages calls itself a Macintosh; the app browsers on it still give it away. Safari
 * there doesn't, and is taken for the Mac it claims to be.
 */
export function deviceOf(userAgent: string | null, platformHint: string | null): Device {
  if (platformHint) {
    const platform = platformHint.replaceAll('"', '').trim().toLowerCase();
    if (platform === 'android') return 'android';
    if (platform === 'ios' || platform === 'ipados') return 'ios';
    if (platform !== '' && platform !== 'unknown') return 'other';
  }
  if (!userAgent || /windows phone|kaios/i.test(userAgent)) return 'other';
  if (/iphone|ipad|ipod/i.test(userAgent)) return 'ios';
  if (/macintosh/i.test(userAgent) && /\bmobile\/|crios|fxios|edgios/i.test(userAgent)) return 'ios';
  return /android/i.test(userAgent) ? 'android' : 'other';
}
