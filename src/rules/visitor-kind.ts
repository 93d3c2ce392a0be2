import { isbot } from 'isbot';
import type { AgentKind, Device } from './resolve.ts';

/** The agents that fetch a page to show its title, text and picture where a link was pasted. */
const previewAgents =
  /facebookexternalhit|facebot|meta-externalfetcher|twitterbot|linkedinbot|slackbot-linkexpanding|slackbot|slack-imgproxy|discordbot|telegrambot|whatsapp|skypeuripreview|microsoftpreview|pinterest(?:bot)?\/|redditbot|vkshare|viber|line-poker|snapchat|mastodon|bluesky|cardyb|embedly|iframely|flipboardproxy|kakaotalk-scrap|mattermost|rocket\.chat|zulip|signal-desktop|nextcloud server crawler|opengraph|unfurl|xing-contenttabreceiver|google-pagerenderer/i;

/** A client without a user agent is a script: no browser leaves it out. */
export function agentKind(userAgent: string | null): AgentKind {
  if (!userAgent) return 'bot';
  if (previewAgents.test(userAgent)) return 'preview';
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
  if (!userAgent || /windows phone/i.test(userAgent)) return 'other';
  if (/iphone|ipad|ipod/i.test(userAgent)) return 'ios';
  if (/macintosh/i.test(userAgent) && /\bmobile\/|crios|fxios|edgios/i.test(userAgent)) return 'ios';
  return /android/i.test(userAgent) ? 'android' : 'other';
}
