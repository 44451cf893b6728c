package respond

import (
	"fmt"
	"html/template"
	"io/fs"
	"path"
	"strings"
	"text/template/parse"
)

// LayoutName is the name of the template that renders a whole page.
const LayoutName = "layout"

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
		page, err := ParsePage(layout, functions, from, name)
		if err != nil {
			return nil, err
		}
		pages[strings.TrimSuffix(strings.TrimPrefix(path.Base(name), "page-"), ".html")] = page
	}
	return pages, nil
}

// ParsePage parses the page template in file, which can use and override the templates of base. The result contains
// only the templates that the page uses. A clone of base would contain all of them, and clones for every page would be
// most of the memory of an idle service.
func ParsePage(base *template.Template, functions template.FuncMap, from fs.FS, file string) (*template.Template,
	error) {
	page, err := template.New("").Funcs(functions).ParseFS(from, file)
	if err != nil {
		return nil, err
	}
	added := map[string]bool{}
	names := []string{LayoutName}
	for len(names) > 0 {
		name := names[0]
		names = names[1:]
		if added[name] {
			continue
		}
		added[name] = true
		t := page.Lookup(name)
		if inherited := base.Lookup(name); isEmpty(t) && inherited != nil && inherited.Tree != nil {
			// The copy is needed because executing a template changes its tree.
			if t, err = page.AddParseTree(name, inherited.Tree.Copy()); err != nil {
				return nil, err
			}
		}
		if t == nil || t.Tree == nil {
			return nil, fmt.Errorf("%s: template %q is not defined", file, name)
		}
		names = usedTemplates(t.Tree.Root, names)
	}
	return page, nil
}

// isEmpty reports whether a template is not defined or has no content. As in package template, an empty definition
// overrides nothing.
func isEmpty(t *template.Template) bool {
	return t == nil || t.Tree == nil || parse.IsEmptyTree(t.Tree.Root)
}

// usedTemplates appends the names of the templates that a node uses.
func usedTemplates(n parse.Node, names []string) []string {
	switch n := n.(type) {
	case *parse.TemplateNode:
		names = append(names, n.Name)
	case *parse.ListNode:
		if n == nil { // there is no else branch
			return names
		}
		for _, node := range n.Nodes {
			names = usedTemplates(node, names)
		}
	case *parse.IfNode:
		names = usedTemplates(n.ElseList, usedTemplates(n.List, names))
	case *parse.RangeNode:
		names = usedTemplates(n.ElseList, usedTemplates(n.List, names))
	case *parse.WithNode:
		names = usedTemplates(n.ElseList, usedTemplates(n.List, names))
	}
	return names
}
