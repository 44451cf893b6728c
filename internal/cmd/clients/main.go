// Command clients generates the clients of the API from its OpenAPI document: the types and operations of the Go
// client and of the TypeScript client, and the Postman collection. What a generator cannot know is written by hand in
// the folders of the clients. Run it with make clients.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"homeward/internal/web/api"
)

func main() {
	if err := run("."); err != nil {
		fmt.Fprintln(os.Stderr, "clients:", err)
		os.Exit(1)
	}
}

// run writes the generated files below a folder, the root of the repository.
func run(root string) error {
	text, err := api.Document()
	if err != nil {
		return err
	}
	files, err := generate(text)
	if err != nil {
		return err
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(root, name), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// generate returns the generated files, keyed by their path from the root of the repository.
func generate(document []byte) (map[string][]byte, error) {
	doc, err := readDocument(document)
	if err != nil {
		return nil, err
	}
	m, err := newModel(doc)
	if err != nil {
		return nil, err
	}
	goFile, err := writeGo(m)
	if err != nil {
		return nil, err
	}
	tsFile, err := writeTypeScript(m)
	if err != nil {
		return nil, err
	}
	postman, err := writePostman(doc)
	return map[string][]byte{
		"clients/go/api.go":                        goFile,
		"clients/typescript/src/api.ts":            tsFile,
		"clients/postman/homeward.collection.json": postman,
	}, err
}
