package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
)

// writeDocument replaces the sections of a document that were measured.
func writeDocument(file string, sections []section) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if text, err = insertSections(text, sections); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return os.WriteFile(file, text, 0o644) // readable by all users
}

// insertSections replaces the text between each section's markers. It returns an error if a marker is missing.
func insertSections(doc []byte, sections []section) ([]byte, error) {
	for _, s := range sections {
		begin, end := []byte("<!-- "+s.name+": made by make bench -->\n"), []byte("<!-- end of "+s.name+" -->")
		before, rest, found := bytes.Cut(doc, begin)
		_, after, ended := bytes.Cut(rest, end)
		if !found || !ended {
			return nil,
				fmt.Errorf("the markers for %s are missing: %q and %q", s.name, strings.TrimSpace(string(begin)), end)
		}
		doc = bytes.Join([][]byte{before, begin, []byte("\n" + s.text + "\n"), end, after}, nil)
	}
	return doc, nil
}

// checkDocument returns an error if the run would write incomplete tables into the document.
func (o options) checkDocument(quick bool) error {
	if o.document == "" {
		return nil
	}
	measures := func(name string) bool { return slices.Contains(o.ops, name) }
	switch {
	case quick:
		return errors.New("-write needs reliable figures, so it cannot be used with -quick")
	case o.profile != "":
		return errors.New("-write needs the baseline handler, so it cannot be used with -profile")
	case len(o.engines) != len(engineNames):
		return errors.New("-write needs both databases")
	case slices.ContainsFunc(operationNames(), measures) && !allOf(operationNames(), measures):
		return fmt.Errorf("-write needs all of %s, or none of them", strings.Join(operationNames(), ","))
	}
	return nil
}

func allOf(names []string, has func(string) bool) bool {
	return !slices.ContainsFunc(names, func(name string) bool { return !has(name) })
}
