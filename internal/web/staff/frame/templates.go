package frame

import (
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"path"
	"strings"

	"homeward/internal/web/respond"
)

//go:embed templates
var templates embed.FS

// loadPages parses the page templates of the frame and of every area and returns them by page name. Each page can use
// the layout, the partial templates of the frame and those of its own area. It returns an error if two pages have the
// same name.
func loadPages(areas []Area) (map[string]*template.Template, error) {
	layout, err := template.New("").Funcs(functions()).ParseFS(templates, "templates/layout.html",
		"templates/part-*.html")
	if err != nil {
		return nil, err
	}
	pages := map[string]*template.Template{}
	for _, a := range append(areas, Area{Templates: templates}) {
		if err := a.loadPages(layout, pages); err != nil {
			return nil, err
		}
	}
	return pages, nil
}

func (a Area) loadPages(layout *template.Template, pages map[string]*template.Template) error {
	base, err := layout.Clone()
	if err != nil {
		return err
	}
	for _, from := range append(a.Parts, a.Templates) {
		if err := parseParts(base, from); err != nil {
			return err
		}
	}
	files, err := fs.Glob(a.Templates, "templates/page-*.html")
	if err != nil {
		return err
	}
	for _, file := range files {
		name := strings.TrimSuffix(strings.TrimPrefix(path.Base(file), "page-"), ".html")
		if pages[name] != nil {
			return fmt.Errorf("staff: two areas have a page named %q", name)
		}
		if pages[name], err = respond.ParsePage(base, functions(), a.Templates, file); err != nil {
			return err
		}
	}
	return nil
}

func parseParts(into *template.Template, from fs.FS) error {
	files, err := fs.Glob(from, "templates/part-*.html")
	if err != nil || len(files) == 0 {
		return err
	}
	_, err = into.ParseFS(from, files...)
	return err
}
