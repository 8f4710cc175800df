package branch

import (
	"go/constant"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/depgraph"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// Alone returns the fact that is equivalent to cond being true, or false. If the
// condition is not a comparison, the fact is about the boolean itself.
func Alone(cond ssa.Value, holds bool) Fact {
	switch c := Plain(cond).(type) {
	case *ssa.Const:
		return Fact{}
	case *ssa.UnOp:
		if c.Op == token.NOT {
			return Alone(c.X, !holds)
		}
		return boolean(c, holds)
	case *ssa.BinOp:
		return comparison(c, holds)
	default:
		return boolean(c, holds)
	}
}

func boolean(v ssa.Value, is bool) Fact {
	return Fact{Subject: v, Relation: Equal, Const: constant.MakeBool(is)}
}

// comparison returns the fact that is equivalent to a comparison being true, or false.
func comparison(c *ssa.BinOp, holds bool) Fact {
	x, y, op := Plain(c.X), Plain(c.Y), c.Op
	if _, ok := x.(*ssa.Const); ok {
		x, y, op = y, x, ssautil.Mirrored[op]
	}
	if !holds {
		op = negated(op, x.Type())
	}
	k, ok := y.(*ssa.Const)
	switch {
	case !ok || k.Value == nil && !k.IsNil():
		return Fact{Subject: x, Relation: relations[op], Other: y}.known()
	case k.Value == nil:
		return Fact{Subject: x, Relation: relations[op]}.known()
	case k.Value.Kind() == constant.Bool:
		return Alone(x, constant.BoolVal(k.Value) == (op == token.EQL))
	}
	return withConstant(x, op, k.Value).known()
}

// known returns the fact, or the zero fact if the relation has no name, or the
// subject is a constant.
func (f Fact) known() Fact {
	if _, ok := f.Subject.(*ssa.Const); ok || f.Relation == Unknown {
		return Fact{}
	}
	return f
}

var relations = map[token.Token]Relation{token.EQL: Equal, token.NEQ: Differs, token.GTR: Above, token.LSS: Below}

var operators = map[Relation]token.Token{Equal: token.EQL, Differs: token.NEQ, Above: token.GTR, Below: token.LSS}

// negated returns the operator of the comparison that is true where op is not. For
// floating-point numbers < and > have no such operator, because of NaN.
func negated(op token.Token, t types.Type) token.Token {
	if op != token.EQL && op != token.NEQ && !isInteger(t) && !isString(t) {
		return token.ILLEGAL
	}
	return ssautil.Negated[op]
}

// withConstant returns the normal form of a comparison with a constant.
func withConstant(x ssa.Value, op token.Token, k constant.Value) Fact {
	f := Fact{Subject: x, Relation: relations[op], Const: k}
	one := constant.MakeInt64(1)
	switch {
	case op != token.GEQ && op != token.LEQ:
	case !isInteger(x.Type()):
		return Fact{}
	case op == token.GEQ:
		f.Relation, f.Const = Above, constant.BinaryOp(k, token.SUB, one)
	default:
		f.Relation, f.Const = Below, constant.BinaryOp(k, token.ADD, one)
	}
	if of := depgraph.LengthOf(x); of != x {
		f.Subject, f.Length = content(of), true
	}
	if f.Length || isUnsigned(x.Type()) {
		switch {
		case f.Relation == Differs && compare(f.Const, token.EQL, zero):
			f.Relation = Above
		case f.Relation == Below && compare(f.Const, token.EQL, one):
			f.Relation, f.Const = Equal, zero
		}
	}
	if f.Length && isString(f.Subject.Type()) && compare(f.Const, token.EQL, zero) {
		switch f.Relation {
		case Equal:
			return Fact{Subject: f.Subject, Relation: Equal, Const: noText}
		case Above:
			return Fact{Subject: f.Subject, Relation: Differs, Const: noText}
		}
	}
	return f
}

// content returns the text or the bytes that v is converted from, which have the same
// length.
func content(v ssa.Value) ssa.Value {
	v = Plain(v)
	if c, ok := v.(*ssa.Convert); ok && isBytes(c.X.Type()) && isBytes(c.Type()) {
		return content(c.X)
	}
	return v
}

func isBytes(t types.Type) bool { return isString(t) || ssautil.IsBytes(t) }

// Plain returns the value that v is a conversion of, as long as the conversion is
// injective and does not change constants.
func Plain(v ssa.Value) ssa.Value {
	switch c := v.(type) {
	case *ssa.ChangeType:
		return Plain(c.X)
	case *ssa.ChangeInterface:
		return Plain(c.X)
	case *ssa.Convert:
		if widens(c.X.Type(), c.Type()) {
			return Plain(c.X)
		}
	}
	return v
}

// sizes are those of the common 64-bit machines; a portable program does not rely on
// smaller ones.
var sizes = types.SizesFor("gc", "amd64")

// widens reports whether every integer of type from is also one of type to.
func widens(from, to types.Type) bool {
	if !isInteger(from) || !isInteger(to) {
		return false
	}
	a, b := sizes.Sizeof(from), sizes.Sizeof(to)
	if isUnsigned(from) == isUnsigned(to) {
		return a <= b
	}
	return isUnsigned(from) && a < b
}

// widened returns the fact about the operand of a narrowing conversion that follows from
// a fact about the conversion: if uint8(n) is not 3, then n is not 3. Equality does not
// carry over.
func widened(f Fact, c *ssa.Convert) Fact {
	switch {
	case f.Length || f.Const == nil || !isInteger(c.X.Type()) || !isInteger(c.Type()):
		return Fact{}
	case f.Relation == Differs, isUnsigned(c.Type()) && f.Relation == Above && compare(f.Const, token.EQL, zero):
		return withConstant(Plain(c.X), token.NEQ, f.Const)
	}
	return Fact{}
}

// about returns the same fact about another value, in normal form.
func (f Fact) about(v ssa.Value) Fact {
	v = Plain(v)
	switch {
	case f.True() || f.False():
		return Alone(v, f.True())
	case f.Const != nil && !f.Length:
		return withConstant(v, operators[f.Relation], f.Const)
	case f.Length:
		v = content(v)
	}
	f.Subject = v
	return f
}
