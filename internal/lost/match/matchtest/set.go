// Package matchtest contains a labelled set of found items and requests, for measuring the quality of matching. They
// were written by hand in the style of desks and guests.
package matchtest

import (
	"bufio"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"

	"homeward/internal/lost"
	"homeward/internal/lost/match"
)

// Find is a found item, in the format of the API.
type Find struct {
	ID             string `json:"id"`
	Description    string `json:"description"`
	Brand          string `json:"brand"`
	Model          string `json:"model"`
	Color          string `json:"color"`
	DiscoveryPlace string `json:"discoveryPlace"`
	DiscoveryDate  string `json:"discoveryDate"`
	Notes          string `json:"notes"`
}

// Request is a request for a lost item. Item is the id of the matching found item, or empty if there is none.
type Request struct {
	ID          string `json:"id"`
	Language    string `json:"language"`
	Description string `json:"description"`
	Brand       string `json:"brand"`
	Model       string `json:"model"`
	Color       string `json:"color"`
	LostPlace   string `json:"lostPlace"`
	LostDate    string `json:"lostDate"`
	Proof       string `json:"proof"`
	FirstName   string `json:"firstName"`
	LastName    string `json:"lastName"`
	Item        string `json:"item"`
}

// Subject returns the data of a found item that matching uses.
func (f Find) Subject() match.Subject {
	return match.Subject{
		Description: f.Description, Brand: f.Brand, Model: f.Model, Color: f.Color, More: f.Notes,
		Place: f.DiscoveryPlace, Day: lost.Days(f.DiscoveryDate),
	}
}

// Subject returns the data of a request that matching uses.
func (r Request) Subject() match.Subject {
	return match.Subject{
		Description: r.Description, Brand: r.Brand, Model: r.Model, Color: r.Color, More: r.Proof, Place: r.LostPlace,
		Day:       lost.Days(r.LostDate),
		FirstName: r.FirstName, LastName: r.LastName,
	}
}

// Set contains the found items of one location, and requests for some of them.
type Set struct {
	Finds    []Find
	Requests []Request
}

//go:embed set/*.jsonl
var setFiles embed.FS

// Default returns the set of this project.
func Default() (Set, error) {
	folder, err := fs.Sub(setFiles, "set")
	if err != nil {
		return Set{}, err
	}
	return read(folder)
}

// Load reads a set from a folder with finds.jsonl and requests.jsonl, which have one record per line.
func Load(folder string) (Set, error) { return read(os.DirFS(folder)) }

func read(folder fs.FS) (s Set, err error) {
	if s.Finds, err = lines[Find](folder, "finds.jsonl"); err != nil {
		return s, err
	}
	if s.Requests, err = lines[Request](folder, "requests.jsonl"); err != nil {
		return s, err
	}
	known := map[string]bool{"": true}
	for _, f := range s.Finds {
		if known[f.ID] {
			return s, fmt.Errorf("finds.jsonl has a duplicate or empty id %q", f.ID)
		}
		known[f.ID] = true
	}
	for _, r := range s.Requests {
		if !known[r.Item] {
			return s, fmt.Errorf("requests.jsonl: %s is about %s, which is not in finds.jsonl", r.ID, r.Item)
		}
	}
	return s, nil
}

func lines[T any](folder fs.FS, name string) (all []T, err error) {
	file, err := folder.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	const longest = 1 << 20
	scanner := bufio.NewScanner(file)
	scanner.Buffer(nil, longest)
	for n := 1; scanner.Scan(); n++ {
		if len(scanner.Bytes()) == 0 {
			continue
		}
		var one T
		if err := json.Unmarshal(scanner.Bytes(), &one); err != nil {
			return nil, fmt.Errorf("%s, line %d: %w", name, n, err)
		}
		all = append(all, one)
	}
	return all, scanner.Err()
}
