// Command schema validates a SARIF log, on its standard input, against a JSON schema, which it is
// given as a file.
package main

import (
	"log"
	"os"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

func main() {
	log.SetFlags(0)
	schema, err := jsonschema.NewCompiler().Compile(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(os.Stdin)
	if err != nil {
		log.Fatal(err)
	}
	if err := schema.Validate(doc); err != nil {
		log.Fatal(err)
	}
}
