package frame

import (
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"path"
	"strings"
	"sync"

	"homeward/internal/web/respond"
)

//go:embed templates
var templates embed.FS

// pageSet parses the page templates of the frame and of every area. Each page can use the layout, the partial templates
// of the frame and those of its own area. A page is parsed for a language when somebody first opens it, so that only
// pages and languages that are used need memory.
type pageSet struct {
	files  map[string]pageFile // by page name
	mu     sync.Mutex
	parsed map[parsedPage]*template.Template
}

// pageFile is the file of a page template.
type pageFile struct {
	name string
	from fs.FS
	base func() (*template.Template, error) // the templates that the page can use
}

// parsedPage is a page in one language.
type parsedPage struct{ name, language string }

// newPageSet lists the page templates. It returns an error if two pages have the same name.
func newPageSet(areas []Area) (*pageSet, error) {
	layout := sync.OnceValues(func() (*template.Template, error) {
		return template.New("").Funcs(functions(English())).ParseFS(templates, "templates/layout.html",
			"templates/part-*.html")
	})
	s := &pageSet{files: map[string]pageFile{}, parsed: map[parsedPage]*template.Template{}}
	for _, a := range append(areas, Area{Templates: templates}) {
		names, err := fs.Glob(a.Templates, "templates/page-*.html")
		if err != nil {
			return nil, err
		}
		base := sync.OnceValues(func() (*template.Template, error) { return a.parseParts(layout) })
		for _, file := range names {
			name := strings.TrimSuffix(strings.TrimPrefix(path.Base(file), "page-"), ".html")
			if _, taken := s.files[name]; taken {
				return nil, fmt.Errorf("staff: two areas have a page named %q", name)
			}
			s.files[name] = pageFile{file, a.Templates, base}
		}
	}
	return s, nil
}

// get returns the template of a page in a language.
func (s *pageSet) get(name string, l Locale) (*template.Template, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := parsedPage{name, l.Tag()}
	if page, is := s.parsed[key]; is {
		return page, nil
	}
	file, known := s.files[name]
	if !known {
		return nil, fmt.Errorf("staff: there is no page named %q", name)
	}
	base, err := file.base()
	if err != nil {
		return nil, err
	}
	page, err := respond.ParsePage(base, functions(l), file.from, file.name)
	if err != nil {
		return nil, err
	}
	s.parsed[key] = page
	return page, nil
}

// parseParts returns the layout with the area's partial templates.
func (a Area) parseParts(layout func() (*template.Template, error)) (*template.Template, error) {
	shared, err := layout()
	if err != nil {
		return nil, err
	}
	base, err := shared.Clone()
	if err != nil {
		return nil, err
	}
	for _, from := range append(a.Parts, a.Templates) {
		if err := parseParts(base, from); err != nil {
			return nil, err
		}
	}
	return base, nil
}

func parseParts(into *template.Template, from fs.FS) error {
	files, err := fs.Glob(from, "templates/part-*.html")
	if err != nil || len(files) == 0 {
		return err
	}
	_, err = into.ParseFS(from, files...)
	return err
}
