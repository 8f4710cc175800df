package driver

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
)

// A remark is a limit of the analysis that a function exceeds, in the form in which -json
// prints it: the function was analyzed as far as the limit allows.
type remark struct {
	Package  string `json:"package"`
	Function string `json:"function"`
	Limit    string `json:"limit"`
}

// newRemark reads the message of a diagnostic: the function, then the limit.
func newRemark(pkg, message string) remark {
	function, limit, _ := strings.Cut(message, ": ")
	return remark{Package: pkg, Function: function, Limit: limit}
}

func (r remark) String() string {
	return fmt.Sprintf("%s: %s is analyzed in part: %s", r.Package, r.Function, r.Limit)
}

func printRemarks(w io.Writer, list []remark) {
	for _, r := range list {
		fmt.Fprintf(w, "atomvet: %v\n", r)
	}
}

// remarks returns the remarks of a run in a fixed order. A package and its variants that are
// compiled for tests make the same ones.
func (fs *findings) remarks() []remark {
	list := slices.Clone(fs.incomplete)
	slices.SortFunc(list, func(a, b remark) int {
		return cmp.Or(cmp.Compare(a.Package, b.Package), cmp.Compare(a.Function, b.Function), cmp.Compare(a.Limit, b.Limit))
	})
	return slices.Compact(list)
}
