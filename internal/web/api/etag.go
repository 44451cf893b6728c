package api

import (
	"iter"
	"regexp"
	"slices"
	"strings"

	"homeward/internal/lost"
	v1 "homeward/internal/v1"
	"homeward/internal/web/respond"
)

// ifMatch returns the condition that the If-Match header sets for a record: its entity tag, with the record encoded by
// write, must be one of those in the header. Without the header, or with an asterisk, there is no condition.
func ifMatch[T, R any](c *call, write func(T) R) ([]lost.Condition[T], error) {
	return ifAnyMatches(c, write, func(v T) iter.Seq[T] { return func(yield func(T) bool) { yield(v) } })
}

// ifMatchItem is ifMatch for an item. The item has not changed just because the service has found out in the meantime
// what its photos show.
func ifMatchItem(c *call, wire v1.Encoder) ([]lost.Condition[lost.Item], error) {
	return ifAnyMatches(c, wire.Item, beforePhotoFacts)
}

// beforePhotoFacts returns an item as it is, and then as it was before it was known what its newest photo shows, its
// two newest photos, and so on.
func beforePhotoFacts(i lost.Item) iter.Seq[lost.Item] {
	return func(yield func(lost.Item) bool) {
		if !yield(i) {
			return
		}
		var known []int
		for n, img := range i.Images {
			if img.Facts != nil {
				known = append(known, n)
			}
		}
		slices.SortStableFunc(known, func(a, b int) int { return i.Images[b].At.Compare(i.Images[a].At) })
		i.Images = slices.Clone(i.Images)
		for _, n := range known {
			i.Images[n].Facts = nil
			if !yield(i) {
				return
			}
		}
	}
}

// ifAnyMatches is ifMatch for a record that has several versions: the tag of one of them must be in the header.
func ifAnyMatches[T, R any](c *call, write func(T) R, versions func(T) iter.Seq[T]) ([]lost.Condition[T], error) {
	lines := c.r.Header.Values("If-Match")
	if len(lines) == 0 {
		return nil, nil
	}
	tags, ok := parseTags(strings.Join(lines, ","))
	if !ok {
		return nil, lost.E(lost.Unreadable, `The header If-Match is not valid. Send the ETag of the record as you `+
			`received it, with its quotation marks.`)
	}
	if slices.Contains(tags, "*") {
		return nil, nil
	}
	return []lost.Condition[T]{func(v T) error {
		for version := range versions(v) {
			tag, err := v1.TagOf(write(version))
			if err != nil || slices.Contains(tags, tag) || slices.Contains(tags, respond.CompressedTag(tag)) {
				return err
			}
		}
		return lost.E(lost.PreconditionFailed,
			"The record has changed since you read it. Fetch it again, decide again and send its new ETag.")
	}}, nil
}

// maxTags is the largest number of entity tags in a header.
const maxTags = 100

// tagPattern matches the first entity tag of a list. A tag can contain commas.
var tagPattern = regexp.MustCompile(`^[ \t]*(\*|(?:W/)?"[^"]*")[ \t]*(?:,|$)`)

// parseTags splits a list of entity tags, such as "a", W/"b". Tags keep their quotation marks.
func parseTags(list string) (tags []string, ok bool) {
	for rest := list; ; {
		tag := tagPattern.FindStringSubmatch(rest)
		if tag == nil || len(tags) == maxTags {
			return nil, false
		}
		tags = append(tags, tag[1])
		if rest = rest[len(tag[0]):]; rest == "" {
			return tags, true
		}
	}
}
