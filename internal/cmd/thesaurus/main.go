// Command thesaurus builds the thesaurus of the matching rules from open lexical data. docs/develop/thesaurus.md says
// where the data comes from and under which licences. scripts/thesaurus.sh downloads it and runs this command.
//
//	go run ./internal/cmd/thesaurus -wordnet folder -wordnets folder -vectors file -out file
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	from := sources{}
	flag.StringVar(&from.wordnet, "wordnet", "", "folder with the files of WordNet 3.0: data.noun, index.noun, …")
	flag.StringVar(&from.wordnets, "wordnets", "", "folder with the word lists of other languages: wn-*.tab")
	flag.StringVar(&from.vectors, "vectors", "", "file with English word vectors, in the format of wink-embeddings")
	out := flag.String("out", "", "file to write")
	flag.Parse()
	if from.wordnet == "" || from.wordnets == "" || from.vectors == "" || *out == "" {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(from, *out); err != nil {
		fmt.Fprintln(os.Stderr, "thesaurus:", err)
		os.Exit(1)
	}
}

// sources are the paths of the data that the thesaurus is built from.
type sources struct{ wordnet, wordnets, vectors string }

func run(from sources, out string) error {
	english, err := readVectors(from.vectors)
	if err != nil {
		return err
	}
	net, err := readWordNet(from.wordnet, english)
	if err != nil {
		return err
	}
	if err := net.readOtherLanguages(from.wordnets); err != nil {
		return err
	}
	net.choose(english)
	net.embed(english)
	file, words := net.encode(english)
	for n, language := range languageNames {
		fmt.Printf("%s: %d words\n", language, words[n])
	}
	fmt.Printf("%d meanings, %d bytes\n", len(net.chosen), len(file))
	const mode = 0o644
	return os.WriteFile(out, file, mode)
}
