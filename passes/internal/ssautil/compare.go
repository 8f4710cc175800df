package ssautil

import (
	"go/constant"
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// Mirrored maps a comparison operator to the operator of the comparison with its operands exchanged.
var Mirrored = map[token.Token]token.Token{
	token.EQL: token.EQL, token.NEQ: token.NEQ,
	token.LSS: token.GTR, token.GTR: token.LSS, token.LEQ: token.GEQ, token.GEQ: token.LEQ,
}

// IsComparison reports whether op is a comparison operator.
func IsComparison(op token.Token) bool { return Mirrored[op] != 0 }

// Negated maps a comparison operator to that which is true where it is not. That does not hold for floating-point numbers, because
// of NaN.
var Negated = map[token.Token]token.Token{
	token.EQL: token.NEQ, token.NEQ: token.EQL,
	token.LSS: token.GEQ, token.GEQ: token.LSS, token.LEQ: token.GTR, token.GTR: token.LEQ,
}

// IsZero reports whether v is the number 0.
func IsZero(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.Value != nil && c.Value.Kind() == constant.Int && constant.Sign(c.Value) == 0
}
