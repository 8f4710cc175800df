// Package branch computes the facts about values that a branch implies.
//
// One condition has many spellings: x == nil, nil == x, !(x != nil), a boolean with that
// value, a case of a switch, one operand of a conjunction. A rule that reads conditions
// itself recognizes only some of them, and misses, for instance, a check that is spelled
// ok == false. The package reduces a condition and the taken side to facts, each about
// one value and in a normal form:
//
//   - the subject is on the left, the constant on the right, and a negation is part of
//     the relation;
//   - integers are compared with < and > only: n >= 1 is n > 0. What cannot be negative
//     and is not zero is > 0; what is < 1 is == 0;
//   - booleans are == true or == false. The flag of a comma-ok form is such a boolean:
//     true means that the element is present; a nil error is == nil;
//   - the length of a string being zero is the string being "";
//   - a conversion that keeps every value is left out: the subject is its operand.
//
// A phi of booleans (x && y, x || y, a flag that is set in a branch) being true, or
// false, implies the facts that hold on all edges on which it can have that value.
//
// Facts are about SSA values, which do not change. Whether the variable that a value was
// read from has been written since is decided elsewhere.
package branch

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// Relation is the relation between the subject of a fact and its operand.
type Relation uint8

// The relations.
const (
	Unknown Relation = iota // the relation of the zero fact
	Equal                   // ==
	Differs                 // !=
	Above                   // >
	Below                   // <
)

var relationText = [...]string{"?", "==", "!=", ">", "<"}

// A Fact is a comparison that is true. The zero fact is empty.
type Fact struct {
	Subject  ssa.Value      // the value that the fact is about
	Length   bool           // the fact is about the length of the subject
	Relation Relation       // how the subject, or its length, compares with the operand
	Const    constant.Value // the operand if it is a constant; otherwise nil, for the constant nil and for Other
	Other    ssa.Value      // the operand if it is not a constant
}

// constantFact returns the fact that a constant, or its length, equals its value.
func constantFact(c *ssa.Const, length bool) Fact {
	switch {
	case c.Value == nil && !c.IsNil():
		return Fact{} // the zero value of a struct, or of a type parameter
	case !length:
		return Fact{Subject: c, Relation: Equal, Const: c.Value}
	case c.IsNil():
		return Fact{Subject: c, Length: true, Relation: Equal, Const: zero}
	}
	return Fact{Subject: c, Length: true, Relation: Equal, Const: constant.MakeInt64(int64(len(constant.StringVal(c.Value))))}
}

// Nil reports whether the fact is that the subject is nil: no object, or no error.
func (f Fact) Nil() bool { return f.Relation == Equal && f.Const == nil && f.Other == nil }

// NonNil reports whether the fact is that the subject is not nil.
func (f Fact) NonNil() bool { return f.Relation == Differs && f.Const == nil && f.Other == nil }

// True reports whether the fact is that the subject, a boolean, is true.
func (f Fact) True() bool { return f.isBool(true) }

// False reports whether the fact is that the subject, a boolean, is false.
func (f Fact) False() bool { return f.isBool(false) }

func (f Fact) isBool(is bool) bool {
	return f.Relation == Equal && f.Const != nil && f.Const.Kind() == constant.Bool && constant.BoolVal(f.Const) == is
}

// Present reports whether the fact is that the flag of a comma-ok form is true: the
// element is present.
func (f Fact) Present() bool { return f.True() && isFlag(f.Subject) }

// Absent reports whether the fact is that the flag of a comma-ok form is false: the
// element is absent.
func (f Fact) Absent() bool { return f.False() && isFlag(f.Subject) }

// isFlag reports whether v is the flag of a comma-ok form, v, ok := m[k], or of a call
// with results of that form.
func isFlag(v ssa.Value) bool {
	e, ok := v.(*ssa.Extract)
	return ok && e.Index > 0
}

// Empty reports whether the fact implies that the subject has no elements.
func (f Fact) Empty() bool {
	return f.Implies(Fact{f.Subject, true, Equal, zero, nil}) || f.Implies(Fact{f.Subject, false, Equal, noText, nil})
}

// NonEmpty reports whether the fact implies that the subject has elements.
func (f Fact) NonEmpty() bool {
	return f.Implies(Fact{f.Subject, true, Above, zero, nil}) || f.Implies(Fact{f.Subject, false, Differs, noText, nil})
}

var zero, noText = constant.MakeInt64(0), constant.MakeString("")

// Is reports whether the fact implies that the subject equals the constant.
func (f Fact) Is(k constant.Value) bool { return f.Implies(Fact{f.Subject, f.Length, Equal, k, nil}) }

// IsNot reports whether the fact implies that the subject differs from the constant.
func (f Fact) IsNot(k constant.Value) bool {
	return f.Implies(Fact{f.Subject, f.Length, Differs, k, nil})
}

// Equal reports whether two facts are the same.
func (f Fact) Equal(g Fact) bool { return f.Relation != Unknown && f.Implies(g) && g.Implies(f) }

// Implies reports whether g is true where f is: n > 3 implies n != 0.
func (f Fact) Implies(g Fact) bool {
	if f.Relation == Unknown || g.Relation == Unknown || f.Subject != g.Subject || f.Length != g.Length || f.Other != g.Other {
		return false
	}
	if f.Const == nil || g.Const == nil {
		return f.Relation == g.Relation && f.Const == g.Const
	}
	cmp := func(op token.Token) bool { return compare(f.Const, op, g.Const) }
	switch g.Relation {
	case Equal:
		return f.Relation == Equal && cmp(token.EQL)
	case Differs:
		switch f.Relation {
		case Equal:
			return cmp(token.NEQ)
		case Differs:
			return cmp(token.EQL)
		case Above:
			return cmp(token.GEQ)
		default:
			return cmp(token.LEQ)
		}
	case Above:
		return f.Relation == Equal && cmp(token.GTR) || f.Relation == Above && cmp(token.GEQ)
	default:
		return f.Relation == Equal && cmp(token.LSS) || f.Relation == Below && cmp(token.LEQ)
	}
}

// Excludes reports whether f and g, facts about one value, are never true together: n > 3 and n < 4, for an integer.
func (f Fact) Excludes(g Fact) bool {
	if f.Relation == Unknown || g.Relation == Unknown || f.Subject != g.Subject || f.Length != g.Length || f.Other != g.Other {
		return false
	}
	if g.Relation == Equal && f.Relation != Equal || f.Relation == Below {
		f, g = g, f
	}
	switch {
	case f.Const == nil || g.Const == nil:
		return f.Const == g.Const && f.Relation != g.Relation
	case f.Relation == Equal:
		return isNumber(f.Const) == isNumber(g.Const) && !f.Implies(g)
	case f.Relation == Above && g.Relation == Below:
		least := f.Const
		if isInteger(f.Subject.Type()) || f.Length {
			least = constant.BinaryOp(least, token.ADD, constant.MakeInt64(1))
		}
		return compare(least, token.GEQ, g.Const)
	}
	return false
}

// Of returns the fact that a constant equals its value.
func Of(c *ssa.Const) Fact { return constantFact(c, false) }

// compare compares two constants. It is false for constants of different kinds.
func compare(a constant.Value, op token.Token, b constant.Value) bool {
	return isNumber(a) == isNumber(b) && (isNumber(a) || a.Kind() == b.Kind()) && constant.Compare(a, op, b)
}

func isNumber(k constant.Value) bool {
	switch k.Kind() {
	case constant.Int, constant.Float, constant.Complex:
		return true
	}
	return false
}

// String returns the fact as an expression, for tests.
func (f Fact) String() string {
	if f.Relation == Unknown {
		return "nothing"
	}
	subject, operand := f.Subject.Name(), "nil"
	if f.Length {
		subject = fmt.Sprintf("len(%s)", subject)
	}
	switch {
	case f.Other != nil:
		operand = f.Other.Name()
	case f.Const != nil:
		operand = f.Const.ExactString()
	}
	return fmt.Sprintf("%s %s %s", subject, relationText[f.Relation], operand)
}

func isInteger(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0
}

func isUnsigned(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsUnsigned != 0
}

func isString(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}
