// Package docs contains the pages of the documentation that a running service shows to authors of client programs.
package docs

import "embed"

// Pages contains the pages for authors of client programs.
//
//go:embed compatibility.md api-changelog.md start/program.md use/api.md use/clients.md use/webhooks.md use/roles.md
//go:embed use/matching.md use/shipping.md use/import.md use/privacy.md use/audit.md
//go:embed use/own-data.md use/bulk.md use/websites.md use/mcp.md
var Pages embed.FS
