package fact

import "strconv"

// RulesOut reports whether the look of a Looked write finds out that a constant with the given text is not there.
func (a *Access) RulesOut(value string) bool {
	for _, out := range a.RuledOut {
		if out == value || !isWithin(value, out) {
			return true
		}
	}
	return false
}

// isWithin reports whether a constant may be a number that does not reach a bound.
func isWithin(value, bound string) bool {
	if bound == "" || bound[0] != '<' && bound[0] != '>' {
		return true
	}
	n, err := strconv.ParseInt(value, 10, 64)
	limit, bad := strconv.ParseInt(bound[1:], 10, 64)
	return err != nil || bad != nil || bound[0] == '<' && n < limit || bound[0] == '>' && n > limit
}
