package frame

import (
	"encoding/json"
	"strings"
)

// texts returns texts for a script as JSON, for a data attribute. Each is named by the last part of its key. A text
// with plural forms is an object with one text for each plural category. The script replaces the placeholders.
func (l Locale) texts(keys ...string) (string, error) {
	all := map[string]any{}
	for _, key := range keys {
		name := key[strings.LastIndexByte(key, '.')+1:]
		forms := l.Source(key)
		if plain, is := forms[""]; is {
			all[name] = plain
		} else {
			all[name] = forms
		}
	}
	encoded, err := json.Marshal(all)
	return string(encoded), err
}
