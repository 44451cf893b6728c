package respond

import (
	"html/template"
	"io/fs"
	"path"
	"strings"
)

// ParsePages parses the page templates in from: each templates/page-*.html, combined with templates/layout.html and
// templates/part*.html. The result maps each page's name, which is the * in its file name, to its template.
func ParsePages(from fs.FS, functions template.FuncMap) (map[string]*template.Template, error) {
	parts, err := fs.Glob(from, "templates/part*.html")
	if err != nil {
		return nil, err
	}
	layout, err := template.New("").Funcs(functions).ParseFS(from, append(parts, "templates/layout.html")...)
	if err != nil {
		return nil, err
	}
	names, err := fs.Glob(from, "templates/page-*.html")
	if err != nil {
		return nil, err
	}
	pages := map[string]*template.Template{}
	for _, name := range names {
		page, err := layout.Clone()
		if err == nil {
			page, err = page.ParseFS(from, name)
		}
		if err != nil {
			return nil, err
		}
		pages[strings.TrimSuffix(strings.TrimPrefix(path.Base(name), "page-"), ".html")] = page
	}
	return pages, nil
}
