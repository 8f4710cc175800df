package stalevalue

import "fmt"

// group returns the group of the findings about what a guard protects, in the declaration
// that the function belongs to. The initializers of package variables are declarations of their
// own.
func (d *detector) group(guard string) string {
	if strict {
		return ""
	}
	fn := d.f.Fn
	for fn.Parent() != nil && fn.Parent().Synthetic == "" {
		fn = fn.Parent()
	}
	return fmt.Sprint(fn.Pos(), " ", guard)
}
