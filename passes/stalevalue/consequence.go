package stalevalue

import (
	"fmt"
	"strings"

	"github.com/atomvet/atomvet/passes/summary"
)

// consequence says what may go wrong.
func (c *candidate) consequence() string {
	act, of := "this write", ""
	if c.act.Callee != nil {
		act = "this call of " + c.d.f.CalleeName(c.act)
		of = ", which writes it"
	}
	name := c.d.f.NameOf(c.act)
	switch {
	case c.distant != nil:
		return c.distance()
	case c.link.harm != "":
		return strings.NewReplacer("$name", name, "$act", act, "$effect", c.effectName()).Replace(c.harm())
	case c.isDropped():
		return "if another goroutine has changed it, " + act + " fails, and what it should store is lost"
	case c.link == updateOfCell && c.isDelta():
		does := " adds"
		if c.act.Shrinks() {
			does = " removes"
		}
		return "what " + act + does + " is computed from a value that another goroutine may have changed"
	case c.link == updateOfCell:
		return "an update by another goroutine is lost by " + act
	case c.act.Loc == c.read.Loc:
		return "another goroutine may change it before " + act + of
	case c.act.Callee != nil:
		return "another goroutine may change it before " + act + ", which writes " + name
	}
	return "another goroutine may change it before " + act + " of " + name
}

// harm returns what a rival does meanwhile, as the link says it.
func (c *candidate) harm() string {
	switch l := c.link; {
	case l.byCall != "" && c.act.Callee != nil:
		return l.byCall
	case l.ofVariable != "" && c.read.Key == "":
		return l.ofVariable
	}
	return c.link.harm
}

// effectName names an effect, which may be that of a function which is called. It is "" for a write.
func (c *candidate) effectName() string {
	switch {
	case c.effect == nil:
		return ""
	case c.effect.in == c.d.f:
		return "this " + c.effect.kind.noun()
	}
	return fmt.Sprintf("the %s by %s", c.effect.kind.noun(), summary.Name(c.effect.in.Fn))
}
