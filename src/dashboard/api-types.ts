// Made by `npm run client` from the OpenAPI document. Not changed by hand.

export type ApiKey = { readonly id: number; readonly name: string; readonly created_at: string; readonly last_used_at: string | null; readonly prefix: string };

export type Click = { readonly id: number; readonly link_id: number; readonly clicked_at: string; readonly outcome: string; readonly destination: string | null; readonly class: string; readonly reason: string; readonly country: string | null; readonly device: string; readonly os: string | null; readonly browser: string | null; readonly language: string | null; readonly referrer: string | null; readonly utm_source: string | null; readonly utm_medium: string | null; readonly utm_campaign: string | null; readonly utm_term: string | null; readonly utm_content: string | null; readonly source: string };

export type ClickCorrection = { readonly id: number; readonly created_at: string; readonly created_by: { readonly id: number; readonly name: string | null; readonly email: string } | null; readonly kind: 'erase' | 'reclassify' | 'take_back'; readonly link_id: number | null; readonly from: string | null; readonly to: string; readonly class: string | null; readonly to_class: string | null; readonly takes_back: number | null; readonly hits: number; readonly not_kept: number; readonly state: 'running' | 'done'; readonly finished_at: string | null };

export type ClickCorrectionList = { readonly corrections: readonly (ClickCorrection)[]; readonly next?: string };

export type ClickList = { readonly clicks: readonly (Click)[]; readonly total_clicks: number; readonly raw_since: string; readonly partial: boolean; readonly next?: string };

export type CountedTag = { readonly id: number; readonly created_at: string; readonly organization_id: number; readonly name: string; readonly links: number };

export type DeletedLink = { readonly id: number; readonly deleted_at: string; readonly kept_until: string; readonly domain: string; readonly suffix: string; readonly url: string; readonly destination_url: string; readonly name: string | null; readonly suffix_taken_by?: number };

export type DeletedLinkList = { readonly links: readonly (DeletedLink)[]; readonly total_links: number; readonly next: string | null };

export type DnsRecord = { readonly purpose: 'proof' | 'address'; readonly type: 'TXT' | 'CNAME' | 'A' | 'AAAA'; readonly name: string; readonly value: string; readonly is_required: boolean; readonly state: 'ok' | 'missing' | 'wrong' | 'unknown'; readonly seen: readonly (string)[] };

export type Domain = { readonly id: number; readonly created_at: string; readonly domain: string; readonly domain_unicode: string; readonly state: 'pending' | 'verified' | 'failing'; readonly verified_at: string | null; readonly checked_at: string | null; readonly links: number; readonly root_url: string | null; readonly not_found_url: string | null; readonly records: readonly (DnsRecord)[]; readonly problem: string | null; readonly certificate: DomainCertificate | null };

export type DomainCertificate = { readonly state: 'none' | 'ready' | 'failing'; readonly valid_until: string | null; readonly problem: string | null };

export type Error = { readonly status_code: number; readonly error_code: string; readonly field_key?: string; readonly error_string: string; readonly errors?: readonly ({ readonly status_code: number; readonly error_code: string; readonly field_key?: string; readonly error_string: string })[] };

export type Finding = { readonly check: 'settings' | 'disk' | 'clock' | 'dns' | 'certificate' | 'address' | 'database' | 'mail' | 'backlog' | 'backup'; readonly state: 'ok' | 'notice' | 'problem'; readonly found: string; readonly todo: string | null };

export type InstanceHealth = { readonly is_well: boolean; readonly findings: readonly (Finding)[] };

export type Invitation = { readonly id: number; readonly created_at: string; readonly email: string; readonly role: 'administrator' | 'editor'; readonly expires_at: string };

export type InvitationPreview = { readonly organization_name: string; readonly email: string; readonly role: 'administrator' | 'editor'; readonly invited_by: string; readonly expires_at: string; readonly has_account: boolean };

export type Link = { readonly id: number; readonly created_at: string; readonly updated_at: string; readonly domain: string; readonly suffix: string; readonly organization_id: number; readonly og_title: string | null; readonly og_description: string | null; readonly og_image: string | null; readonly destination_url: string; readonly qr_code_svg: string; readonly qr_code_png: string | null; readonly url: string; readonly expiration_date: string | null; readonly qr_code_foreground_hex: string; readonly qr_code_background_hex: string; readonly qr_code_marker: boolean; readonly has_password: boolean; readonly password: null; readonly android_link_destination: string | null; readonly ios_link_destination: string | null; readonly bot_protection: boolean; readonly captcha: boolean; readonly name: string | null; readonly tags: readonly (Tag)[]; readonly webhook_url: string | null; readonly webhook_auth_key: string | null; readonly webhook_events: readonly ('click' | 'link.expired' | 'link.updated' | 'link.deleted')[]; readonly zapier_key: string; readonly zapier_webhook_url_new_click: string | null; readonly clicks: number; readonly last_clicked_at: string | null; readonly daily_clicks?: readonly (number)[] };

export type LinkBinEmptied = { readonly deleted: number };

export type LinkList = { readonly links: readonly (Link)[]; readonly total_links: number; readonly next?: string };

export type LinkResults = { readonly results: readonly ({ readonly status: 201; readonly link: Link } | { readonly status: number; readonly error: Error })[] };

export type LinksDeleted = { readonly deleted: number; readonly ids: readonly (number)[] };

export type LinksRestored = { readonly restored: number; readonly ids: readonly (number)[] };

export type LinksUpdated = { readonly updated: number };

export type Member = { readonly id: number; readonly created_at: string; readonly email: string; readonly name: string | null; readonly role: 'administrator' | 'editor' };

export type NewApiKey = { readonly id: number; readonly name: string; readonly created_at: string; readonly last_used_at: string | null; readonly prefix: string; readonly key: string };

export type NewInvitation = { readonly id: number; readonly created_at: string; readonly email: string; readonly role: 'administrator' | 'editor'; readonly expires_at: string; readonly token: string; readonly url: string; readonly sent: boolean };

export type Organization = { readonly id: number; readonly created_at: string; readonly name: string; readonly qr_code_marker: boolean; readonly runs_instance: boolean };

export type ReceivedInvitation = { readonly id: number; readonly created_at: string; readonly organization_name: string; readonly role: 'administrator' | 'editor'; readonly invited_by: string; readonly expires_at: string };

export type Session = { readonly id: string; readonly created_at: string; readonly last_used_at: string; readonly browser: string | null; readonly os: string | null; readonly is_current: boolean };

export type Setup = { readonly needs_first_account: boolean; readonly may_create_here: boolean; readonly registration_open: boolean; readonly mail: boolean; readonly default_domain: string; readonly origin: string; readonly base_url_is_set: boolean; readonly domains_lead_here: boolean };

export type Stats = { readonly from: string; readonly to: string; readonly interval: 'hour' | 'day' | 'week' | 'month'; readonly timezone: string; readonly from_raw: boolean; readonly raw_since: string; readonly visitors_are: 'unique' | 'daily'; readonly rule_changes: readonly ({ readonly at: string; readonly rule: 'repeats' | 'visitors'; readonly sentence: string })[]; readonly totals: { readonly clicks: number; readonly visitors: number | null; readonly not_counted: { readonly page: number; readonly preview: number; readonly bot: number; readonly prefetch: number; readonly head: number; readonly repeat: number; readonly flood: number } | null }; readonly series: readonly ({ readonly start: string; readonly clicks: number; readonly visitors: number | null; readonly not_counted: number | null })[]; readonly groups: readonly ({ readonly value: string | null; readonly clicks: number; readonly not_counted: number })[] | null; readonly other: { readonly clicks: number; readonly not_counted: number } | null };

export type Tag = { readonly id: number; readonly created_at: string; readonly organization_id: number; readonly name: string };

export type TokenPair = { readonly access_token: string; readonly refresh_token: string };

export type User = { readonly id: number; readonly created_at: string; readonly email: string; readonly name: string | null; readonly organization_id: number; readonly organization_name: string; readonly role: 'administrator' | 'editor' };

export type WebhookAttempt = { readonly at: string; readonly duration: number; readonly status: number | null; readonly answer: string | null; readonly problem: string | null };

export type WebhookDelivery = { readonly id: number; readonly created_at: string; readonly link_id: number; readonly event: string; readonly message_id: string; readonly target_url: string; readonly body: string; readonly state: 'waiting' | 'delivered' | 'failed'; readonly next_try_at: string | null; readonly attempts: readonly (WebhookAttempt)[] };

export type WebhookDeliveryList = { readonly webhook_deliveries: readonly (WebhookDelivery)[]; readonly total_webhook_deliveries: number; readonly total_failed: number; readonly next?: string };

export type WebhookOutage = { readonly target_url: string; readonly since: string; readonly last_failed_at: string; readonly told_at: string | null };

export type WebhookOutageList = { readonly webhook_outages: readonly (WebhookOutage)[] };

export type WebhookRedelivered = { readonly redelivered: number; readonly left_out: number; readonly continue_from: string | null };

export type ZapierHook = { readonly id: number; readonly target_url: string };

export type ZapierSample = readonly (Readonly<Record<string, string | number | boolean>>)[];

export interface Calls {
  'POST /api/v1/user': { body?: { readonly email: string; readonly password: string; readonly name?: string | null; readonly organization_name?: string | null; readonly invitation_token?: string; readonly setup_token?: string; readonly base_url?: string }; answer: User };
  'GET /api/v1/user': { answer: User };
  'PATCH /api/v1/user': { body: { readonly name?: string | null; readonly email?: string }; answer: User };
  'DELETE /api/v1/user': { body: { readonly password: string; readonly confirm?: 'delete_organization' }; answer: undefined };
  'POST /api/v1/user/password': { body: { readonly current_password: string; readonly new_password: string }; answer: undefined };
  'POST /api/v1/user/forgot_password': { body: { readonly email: string }; answer: undefined };
  'POST /api/v1/user/reset_password': { body: { readonly token: string; readonly new_password: string }; answer: undefined };
  'POST /api/v1/user/sign_out_everywhere': { answer: undefined };
  'GET /api/v1/user/invitations': { answer: readonly (ReceivedInvitation)[] };
  'POST /api/v1/user/invitations/{id}/accept': { params: { id: string | number }; answer: User };
  'POST /api/v1/user/invitations/{id}/decline': { params: { id: string | number }; answer: undefined };
  'GET /api/v1/setup': { answer: Setup };
  'POST /api/v1/session': { body: { readonly email: string; readonly password: string }; answer: User };
  'GET /api/v1/session': { answer: readonly (Session)[] };
  'DELETE /api/v1/session': { answer: undefined };
  'DELETE /api/v1/session/{id}': { params: { id: string | number }; answer: undefined };
  'POST /api/v1/auth/create_tokens': { body: { readonly email: string; readonly password: string }; answer: TokenPair };
  'GET /api/v1/auth/refresh_access_token': { answer: TokenPair };
  'POST /api/v1/api_key': { body: { readonly name: string }; answer: NewApiKey };
  'GET /api/v1/api_key': { answer: readonly (ApiKey)[] };
  'DELETE /api/v1/api_key/{id}': { params: { id: string | number }; answer: undefined };
  'POST /api/v1/link': { query: { disable_png?: string | number | boolean | undefined }; body: { readonly destination_url: string; readonly domain?: string | null; readonly suffix?: string | null; readonly password?: string | null; readonly og_title?: string | null; readonly og_description?: string | null; readonly og_image?: string | null; readonly expiration_date?: string | null; readonly qr_code_foreground_hex?: string | null; readonly qr_code_background_hex?: string | null; readonly qr_code_marker?: boolean | '' | null; readonly name?: string | null; readonly android_link_destination?: string | null; readonly ios_link_destination?: string | null; readonly bot_protection?: boolean | '' | null; readonly captcha?: boolean | '' | null; readonly webhook_url?: string | null; readonly webhook_auth_key?: string | null; readonly webhook_events?: readonly ('click' | 'link.expired' | 'link.updated' | 'link.deleted')[] | '' | null; readonly tags?: readonly (number | string | { readonly id: number | string })[] | '' | null }; answer: Link };
  'GET /api/v1/link': { query: { limit?: string | number | boolean | undefined; offset?: string | number | boolean | undefined; cursor?: string | number | boolean | undefined; q?: string | number | boolean | undefined; tag?: string | number | boolean | undefined; domain?: string | number | boolean | undefined; before?: string | number | boolean | undefined; sort?: '-created_at' | 'created_at' | '-updated_at' | 'updated_at' | 'name' | '-name' | 'suffix' | '-suffix' | undefined; daily?: string | number | boolean | undefined }; answer: LinkList };
  'GET /api/v1/link.csv': { query: { q?: string | number | boolean | undefined; tag?: string | number | boolean | undefined; domain?: string | number | boolean | undefined; ids?: string | number | boolean | undefined }; answer: undefined };
  'POST /api/v1/link/bulk': { query: { disable_png?: string | number | boolean | undefined; atomic?: string | number | boolean | undefined }; body: { readonly links: readonly ({ readonly destination_url: string; readonly domain?: string | null; readonly suffix?: string | null; readonly password?: string | null; readonly og_title?: string | null; readonly og_description?: string | null; readonly og_image?: string | null; readonly expiration_date?: string | null; readonly qr_code_foreground_hex?: string | null; readonly qr_code_background_hex?: string | null; readonly qr_code_marker?: boolean | '' | null; readonly name?: string | null; readonly android_link_destination?: string | null; readonly ios_link_destination?: string | null; readonly bot_protection?: boolean | '' | null; readonly captcha?: boolean | '' | null; readonly webhook_url?: string | null; readonly webhook_auth_key?: string | null; readonly webhook_events?: readonly ('click' | 'link.expired' | 'link.updated' | 'link.deleted')[] | '' | null; readonly tags?: readonly (number | string | { readonly id: number | string })[] | '' | null })[] }; answer: LinkResults };
  'PATCH /api/v1/link/bulk': { body: { readonly ids: readonly (number | string)[]; readonly add_tags?: readonly (number | string)[]; readonly remove_tags?: readonly (number | string)[] }; answer: LinksUpdated };
  'POST /api/v1/link/bulk_delete': { body: { readonly ids: readonly (number | string)[] }; answer: LinksDeleted };
  'POST /api/v1/link/restore': { body: { readonly ids: readonly (number | string)[] }; answer: LinksRestored };
  'GET /api/v1/link/deleted': { query: { limit?: string | number | boolean | undefined; cursor?: string | number | boolean | undefined; before?: string | number | boolean | undefined }; answer: DeletedLinkList };
  'DELETE /api/v1/link/deleted': { answer: LinkBinEmptied };
  'DELETE /api/v1/link/deleted/{id}': { params: { id: string | number }; answer: undefined };
  'GET /api/v1/link/{id}': { params: { id: string | number }; answer: Link };
  'PATCH /api/v1/link/{id}': { params: { id: string | number }; body: { readonly destination_url?: string | null; readonly password?: string | null; readonly og_title?: string | null; readonly og_description?: string | null; readonly og_image?: string | null; readonly expiration_date?: string | null; readonly qr_code_foreground_hex?: string | null; readonly qr_code_background_hex?: string | null; readonly qr_code_marker?: boolean | '' | null; readonly name?: string | null; readonly android_link_destination?: string | null; readonly ios_link_destination?: string | null; readonly bot_protection?: boolean | '' | null; readonly captcha?: boolean | '' | null; readonly webhook_url?: string | null; readonly webhook_auth_key?: string | null; readonly webhook_events?: readonly ('click' | 'link.expired' | 'link.updated' | 'link.deleted')[] | '' | null; readonly add_tags?: readonly (number | string)[] | '' | null; readonly remove_tags?: readonly (number | string)[] | '' | null; readonly domain?: string; readonly suffix?: string; readonly tags?: readonly (number | string | { readonly id: number | string })[] | '' | null; readonly has_password?: boolean }; answer: Link };
  'DELETE /api/v1/link/{id}': { params: { id: string | number }; answer: undefined };
  'GET /api/v1/stats': { query: { from?: string | number | boolean | undefined; to?: string | number | boolean | undefined; interval?: 'hour' | 'day' | 'week' | 'month' | undefined; timezone?: string | number | boolean | undefined; group_by?: 'reason' | 'country' | 'device' | 'os' | 'browser' | 'language' | 'referrer' | 'utm_source' | 'utm_medium' | 'utm_campaign' | 'destination' | 'source' | 'class' | undefined; country?: string | number | boolean | undefined; device?: string | number | boolean | undefined; os?: string | number | boolean | undefined; browser?: string | number | boolean | undefined; language?: string | number | boolean | undefined; referrer?: string | number | boolean | undefined; utm_source?: string | number | boolean | undefined; utm_medium?: string | number | boolean | undefined; utm_campaign?: string | number | boolean | undefined; destination?: string | number | boolean | undefined; source?: string | number | boolean | undefined; reason?: string | number | boolean | undefined; class?: string | number | boolean | undefined }; answer: Stats };
  'GET /api/v1/link/{id}/stats': { params: { id: string | number }; query: { from?: string | number | boolean | undefined; to?: string | number | boolean | undefined; interval?: 'hour' | 'day' | 'week' | 'month' | undefined; timezone?: string | number | boolean | undefined; group_by?: 'reason' | 'country' | 'device' | 'os' | 'browser' | 'language' | 'referrer' | 'utm_source' | 'utm_medium' | 'utm_campaign' | 'destination' | 'source' | 'class' | undefined; country?: string | number | boolean | undefined; device?: string | number | boolean | undefined; os?: string | number | boolean | undefined; browser?: string | number | boolean | undefined; language?: string | number | boolean | undefined; referrer?: string | number | boolean | undefined; utm_source?: string | number | boolean | undefined; utm_medium?: string | number | boolean | undefined; utm_campaign?: string | number | boolean | undefined; destination?: string | number | boolean | undefined; source?: string | number | boolean | undefined; reason?: string | number | boolean | undefined; class?: string | number | boolean | undefined }; answer: Stats };
  'GET /api/v1/clicks': { query: { limit?: string | number | boolean | undefined; offset?: string | number | boolean | undefined; cursor?: string | number | boolean | undefined; before?: string | number | boolean | undefined; class?: 'click' | 'all' | 'human' | 'page' | 'preview' | 'bot' | 'prefetch' | 'head' | 'repeat' | 'flood' | undefined; from?: string | number | boolean | undefined; to?: string | number | boolean | undefined }; answer: ClickList };
  'DELETE /api/v1/clicks': { query: { from?: string | number | boolean | undefined; to?: string | number | boolean | undefined; confirm?: string | number | boolean | undefined }; answer: ClickCorrection };
  'GET /api/v1/clicks/live': { query: { class?: 'click' | 'all' | 'human' | 'page' | 'preview' | 'bot' | 'prefetch' | 'head' | 'repeat' | 'flood' | undefined; last_event_id?: string | number | boolean | undefined }; answer: undefined };
  'GET /api/v1/link/{id}/clicks': { params: { id: string | number }; query: { limit?: string | number | boolean | undefined; offset?: string | number | boolean | undefined; cursor?: string | number | boolean | undefined; before?: string | number | boolean | undefined; class?: 'click' | 'all' | 'human' | 'page' | 'preview' | 'bot' | 'prefetch' | 'head' | 'repeat' | 'flood' | undefined; from?: string | number | boolean | undefined; to?: string | number | boolean | undefined }; answer: ClickList };
  'DELETE /api/v1/link/{id}/clicks': { params: { id: string | number }; query: { from?: string | number | boolean | undefined; to?: string | number | boolean | undefined }; answer: ClickCorrection };
  'PATCH /api/v1/link/{id}/clicks/reclassify': { params: { id: string | number }; body: { readonly from?: string; readonly to?: string; readonly class?: 'human' | 'flood' | 'bot' | 'repeat'; readonly to_class?: 'human' | 'flood' | 'bot' | 'repeat'; readonly take_back?: number | string }; answer: ClickCorrection };
  'GET /api/v1/clicks/corrections': { query: { limit?: string | number | boolean | undefined; cursor?: string | number | boolean | undefined }; answer: ClickCorrectionList };
  'GET /api/v1/link/{id}/clicks/corrections': { params: { id: string | number }; query: { limit?: string | number | boolean | undefined; cursor?: string | number | boolean | undefined }; answer: ClickCorrectionList };
  'GET /api/v1/clicks.csv': { query: { class?: 'click' | 'all' | 'human' | 'page' | 'preview' | 'bot' | 'prefetch' | 'head' | 'repeat' | 'flood' | undefined; from?: string | number | boolean | undefined; to?: string | number | boolean | undefined }; answer: undefined };
  'GET /api/v1/link/{id}/clicks.csv': { params: { id: string | number }; query: { class?: 'click' | 'all' | 'human' | 'page' | 'preview' | 'bot' | 'prefetch' | 'head' | 'repeat' | 'flood' | undefined; from?: string | number | boolean | undefined; to?: string | number | boolean | undefined }; answer: undefined };
  'GET /api/v1/link/{id}/webhook_deliveries': { params: { id: string | number }; query: { limit?: string | number | boolean | undefined; offset?: string | number | boolean | undefined; cursor?: string | number | boolean | undefined }; answer: WebhookDeliveryList };
  'POST /api/v1/link/{id}/webhook_test': { params: { id: string | number }; answer: WebhookDelivery };
  'POST /api/v1/webhook_delivery/{id}/redeliver': { params: { id: string | number }; answer: WebhookDelivery };
  'POST /api/v1/webhook_delivery/redeliver': { body?: { readonly link_id?: number | string; readonly from?: string; readonly to?: string }; answer: WebhookRedelivered };
  'GET /api/v1/webhook_outages': { answer: WebhookOutageList };
  'POST /api/v1/zapier/hooks': { body: { readonly target_url: string }; answer: ZapierHook };
  'DELETE /api/v1/zapier/hooks': { answer: undefined };
  'DELETE /api/v1/zapier/hooks/{id}': { params: { id: string | number }; answer: undefined };
  'GET /api/v1/zapier/sample': { answer: ZapierSample };
  'POST /api/v1/tag': { body: { readonly name?: string; readonly tag?: string }; answer: CountedTag };
  'GET /api/v1/tag': { answer: readonly (CountedTag)[] };
  'GET /api/v1/tag/{id}': { params: { id: string | number }; answer: CountedTag };
  'PATCH /api/v1/tag/{id}': { params: { id: string | number }; body: { readonly name: string }; answer: CountedTag };
  'DELETE /api/v1/tag/{id}': { params: { id: string | number }; answer: undefined };
  'POST /api/v1/domain': { body: { readonly domain: string }; answer: Domain };
  'GET /api/v1/domain': { answer: readonly (Domain)[] };
  'GET /api/v1/domain/{id}': { params: { id: string | number }; answer: Domain };
  'PATCH /api/v1/domain/{id}': { params: { id: string | number }; body: { readonly root_url?: string | null; readonly not_found_url?: string | null }; answer: Domain };
  'DELETE /api/v1/domain/{id}': { params: { id: string | number }; query: { links?: 'delete' | undefined }; answer: undefined };
  'POST /api/v1/domain/{id}/verify': { params: { id: string | number }; answer: Domain };
  'GET /api/v1/organization': { answer: Organization };
  'PATCH /api/v1/organization': { body: { readonly name?: string; readonly qr_code_marker?: boolean }; answer: Organization };
  'GET /api/v1/instance/health': { answer: InstanceHealth };
  'GET /api/v1/member': { answer: readonly (Member)[] };
  'PATCH /api/v1/member/{id}': { params: { id: string | number }; body: { readonly role: 'administrator' | 'editor' }; answer: Member };
  'DELETE /api/v1/member/{id}': { params: { id: string | number }; answer: undefined };
  'POST /api/v1/invitation/preview': { body: { readonly token: string }; answer: InvitationPreview };
  'POST /api/v1/invitation/accept': { body: { readonly token: string }; answer: User };
  'POST /api/v1/invitation': { body: { readonly email: string; readonly role?: 'administrator' | 'editor' }; answer: NewInvitation };
  'GET /api/v1/invitation': { answer: readonly (Invitation)[] };
  'DELETE /api/v1/invitation/{id}': { params: { id: string | number }; answer: undefined };
}
