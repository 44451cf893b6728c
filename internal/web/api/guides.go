package api

import (
	"bytes"
	"fmt"
	"html/template"
	"net/http"
	"path"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"homeward/docs"
	"homeward/internal/web/respond"
)

// guide is a page of the documentation, shown at /docs/NAME.
type guide struct{ Name, file, Title, About string }

// guides lists the pages that authors of client programs need, in the order of the list at /docs/guides.
var guides = []guide{
	{"program", "start/program.md", "Your first program", "the first calls and the first webhook."},
	{"api", "use/api.md", "The API", "keys, errors, updates, lists, idempotency."},
	{"own-data", "use/own-data.md", "Your own ids and data", "externalId and metadata."},
	{"bulk", "use/bulk.md", "Many items in one request", "up to 100 at once."},
	{"websites", "use/websites.md", "Scripts on a website", "publishable keys and CORS."},
	{"webhooks", "use/webhooks.md", "Webhooks", "register, verify, retry, replay."},
	{"clients", "use/clients.md", "Clients", "Go, TypeScript and Postman."},
	{"mcp", "use/mcp.md", "AI agents", "tools for assistants, over MCP."},
	{"compatibility", "compatibility.md", "Compatibility", "what may change, and how changes are announced."},
	{"api-changelog", "api-changelog.md", "API changelog", "what changed, by version."},
	{"roles", "use/roles.md", "Roles and permissions", "what a key may do."},
	{"matching", "use/matching.md", "Matching", "suggestions for lost reports."},
	{"shipping", "use/shipping.md", "Shipping and payment", "prices, labels, refunds."},
	{"import", "use/import.md", "Import and export", "CSV files."},
	{"privacy", "use/privacy.md", "Privacy requests", "export or erase a guest's data."},
	{"audit", "use/audit.md", "Audit log", "who did and saw what."},
}

// guidePages are the other addresses that guides may link to, by the file that describes the same.
var guidePages = map[string]string{"use/problems.md": "/docs/problems", "README.md": "/docs/guides"}

var (
	guidePage  = template.Must(template.ParseFS(docFiles, "docs/guide.html"))
	guidesPage = template.Must(template.ParseFS(docFiles, "docs/guides.html"))
)

// mountGuides mounts the list of guides and each guide. A guide is rendered when somebody reads it for the first time.
func mountGuides(mux *http.ServeMux) error {
	const html = "text/html; charset=utf-8"
	var list bytes.Buffer
	if err := guidesPage.Execute(&list, guides); err != nil {
		return err
	}
	get(mux, "/docs/guides", static(html, textPolicy, list.Bytes()))
	for _, g := range guides {
		page := sync.OnceValues(func() (http.Handler, error) {
			body, err := g.render()
			return static(html, textPolicy, body), err
		})
		get(mux, "/docs/"+g.Name, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			serve, err := page()
			if err != nil {
				respond.Problem(w, err)
				return
			}
			serve.ServeHTTP(w, r)
		}))
	}
	return nil
}

// render returns the guide as a page.
func (g guide) render() ([]byte, error) {
	source, err := docs.Pages.ReadFile(g.file)
	if err != nil {
		return nil, err
	}
	markdown := goldmark.New(
		goldmark.WithExtensions(extension.Table),
		goldmark.WithParserOptions(
			parser.WithAutoHeadingID(),
			parser.WithASTTransformers(util.Prioritized(guideLinks{path.Dir(g.file)}, 100)),
		),
	)
	var content, page bytes.Buffer
	if err := markdown.Convert(source, &content); err != nil {
		return nil, fmt.Errorf("render %s: %w", g.file, err)
	}
	err = guidePage.Execute(&page, map[string]any{
		"Title": g.Title, "Content": template.HTML(content.String()), //nolint:gosec // from our own pages; escaped
	})
	return page.Bytes(), err
}

// guideLinks changes the links between files into links between served pages. A link to a page that the service does
// not show becomes plain text.
type guideLinks struct{ folder string }

// Transform implements parser.ASTTransformer.
func (l guideLinks) Transform(doc *ast.Document, _ text.Reader, _ parser.Context) {
	var links []*ast.Link
	// The walk itself never fails.
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if link, is := n.(*ast.Link); is && entering {
			links = append(links, link)
		}
		return ast.WalkContinue, nil
	})
	for _, link := range links {
		if target, served := l.target(string(link.Destination)); served {
			link.Destination = []byte(target)
			continue
		}
		parent := link.Parent()
		for child := link.FirstChild(); child != nil; child = link.FirstChild() {
			parent.InsertBefore(parent, link, child)
		}
		parent.RemoveChild(parent, link)
	}
}

// target returns the address of a link, and whether the service shows it.
func (l guideLinks) target(link string) (address string, served bool) {
	file, fragment, _ := strings.Cut(link, "#")
	if fragment != "" {
		fragment = "#" + fragment
	}
	if file == "" || strings.HasPrefix(file, "https://") {
		return link, true
	}
	file = path.Join(l.folder, file)
	if address, known := guidePages[file]; known {
		return address, true
	}
	for _, g := range guides {
		if g.file == file {
			return "/docs/" + g.Name + fragment, true
		}
	}
	return "", false
}
