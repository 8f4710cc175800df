package stalevalue

import (
	"fmt"

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
	case c.link == doubleStart:
		return "another goroutine may find the same before that, and start a second one"
	case c.link == missedStart:
		return "another goroutine may set it, and find that nobody is counted, before the goroutine that is started here counts itself"
	case c.link == closedChannel:
		return fmt.Sprintf("another goroutine may close %s before %s, which panics then", name, c.effectName("send"))
	case c.link == lateWait:
		return fmt.Sprintf("another goroutine may change it and wake all that wait, before %s begins", c.effectName("wait"))
	case c.link == lateAddition:
		return fmt.Sprintf("another goroutine may have waited for %s before this call adds to it", name)
	case c.link == lateSeal:
		return fmt.Sprintf("what another goroutine writes to it before %s is set by %s is not in what was used", name, act)
	case c.link == lateDrop:
		return fmt.Sprintf("another goroutine may remove it before %s, which removes the first element, whatever that is then", act)
	case c.link == otherObject:
		return fmt.Sprintf("another goroutine may put another one there before %s removes it, though what has failed is an operation on the one that was read", act)
	case c.link == lateReset:
		return fmt.Sprintf("what another goroutine adds to both before %s is counted no more, as %s becomes zero", act, name)
	case c.link == lateExchange:
		return fmt.Sprintf("another goroutine may put another one there before %s: what was read is then ended again, and the other one never", act)
	case c.link == lateZero:
		return fmt.Sprintf("what another goroutine, which finds it changed, adds to %s before %s sets it to zero is lost", name, act)
	case c.link == missedDrain:
		return fmt.Sprintf("another goroutine may set it, and find that %s is zero, before %s of that", name, act)
	case c.link == lateCount && c.read.Key == "":
		return fmt.Sprintf("another goroutine may replace it, and end it as it counts no users, before %s of %s", act, name)
	case c.link == lateCount:
		return fmt.Sprintf("another goroutine may remove it, as it counts no users, before %s of %s", act, name)
	case c.link == lateMember:
		return fmt.Sprintf("another goroutine may remove it, as it is empty, before %s of %s", act, name)
	case c.link == disorderedList:
		return fmt.Sprintf("another goroutine may take the next one and come to the list before %s: the numbers in %s are out of order then", act, name)
	case c.link == lateFill:
		return fmt.Sprintf("another goroutine may take it out of there, and use %s without what %s adds", name, act)
	case c.link == uncheckedMember:
		return fmt.Sprintf("another goroutine may remove it together with %s before that is used here unchecked", name)
	case c.link == uncheckedLookup:
		return "another goroutine may remove it before it is used here unchecked"
	case c.link == uncheckedReload:
		return "another goroutine may clear it before it is used here unchecked"
	case c.link == staleIndex && c.act.Callee != nil:
		return "another goroutine may remove or move elements before " + act + ", which uses the index"
	case c.link == staleIndex:
		return "another goroutine may remove or move elements before the index is used here"
	case c.link == writeSkew:
		return fmt.Sprintf("another goroutine may compute it anew from %s before this write of that", name)
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

// effectName names an effect, which may be that of a function which is called.
func (c *candidate) effectName(what string) string {
	if c.effect.in == c.d.f {
		return "this " + what
	}
	return fmt.Sprintf("the %s by %s", what, summary.Name(c.effect.in.Fn))
}
