package fact

import "testing"

func TestRulesOut(t *testing.T) {
	for _, test := range []struct {
		ruledOut []string
		value    string
		want     bool
	}{
		{nil, "1", false},
		{[]string{"1"}, "1", true},
		{[]string{"1", "3"}, "2", false},
		{[]string{`"<3"`}, "4", false}, // a text
		{[]string{"<3"}, "2", false},
		{[]string{"<3"}, "3", true},
		{[]string{"<-3"}, "-4", false},
		{[]string{">3"}, "3", true},
		{[]string{">3"}, "4", false},
		{[]string{"<3", ">0"}, "0", true},
		{[]string{"<3"}, "nil", false},
		{[]string{"<x"}, "1", false}, // a corrupt fact
	} {
		a := Access{RuledOut: test.ruledOut}
		if got := a.RulesOut(test.value); got != test.want {
			t.Errorf("%v rules out %s: %v, want %v", test.ruledOut, test.value, got, test.want)
		}
	}
}
