// Atomvet finds atomicity violations in Go programs: sequences that had to be
// one atomic step and were split in two, though every access in them is locked.
//
// It checks packages by itself, and it is a tool for go vet:
//
//	atomvet [flags] [packages]
//	go vet -vettool=$(which atomvet) [packages]
//
// Run 'atomvet help' for the detectors and the flags.
package main

import (
	"github.com/atomvet/atomvet/cmd/atomvet/internal/driver"
	"github.com/atomvet/atomvet/passes"
)

func main() {
	driver.Main(passes.Suite()...)
}
