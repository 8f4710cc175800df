// Golangci-lint with the linters of atomvet, as 'golangci-lint custom' would build it.
package main

import (
	"fmt"
	"os"

	"github.com/golangci/golangci-lint/v2/pkg/commands"
	"github.com/golangci/golangci-lint/v2/pkg/exitcodes"

	_ "github.com/atomvet/atomvet/passes/golangci"
)

func main() {
	if err := commands.Execute(commands.BuildInfo{Version: "v2.15.0"}); err != nil {
		fmt.Fprintln(os.Stderr, "the command failed:", err)
		os.Exit(exitcodes.Failure)
	}
}
