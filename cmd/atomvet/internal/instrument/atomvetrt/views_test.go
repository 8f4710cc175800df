package atomvetrt

import "testing"

// TestConflicts: the examples of Tables I and II of Artho, Havelund and Biere, of which the eighth has
// three conflicts.
func TestConflicts(t *testing.T) {
	const x, y, z = 1, 2, 3
	cfg.Sites = []Site{{}}
	type thread [][]int
	for _, test := range []struct {
		name    string
		threads []thread
		want    int
	}{
		{"1", []thread{{{x}, {y}}, {{x}, {y}}}, 0},
		{"2", []thread{{{x, y}}, {{x}, {y}}}, 1},
		{"3", []thread{{{x, y}, {x}, {y}}, {{x}, {y}}}, 1},
		{"4", []thread{{{x, y, z}}, {{x, y}, {x}}}, 0},
		{"5", []thread{{{x, y}}, {{x}}, {{x}, {y}}}, 1},
		{"6", []thread{{{x, y}}, {{x}}, {{y}}}, 0},
		{"7", []thread{{{x, y}, {x}, {y}}, {{y, z}, {y}, {z}}, {{z, x}, {z}, {x}}}, 0},
		{"8", []thread{{{x, y}, {x}, {y, z}}, {{y, z}, {y}, {z}}, {{z, x}, {z}, {x}}}, 2},
	} {
		l := &lockViews{by: make(map[uint64][]view)}
		written := make(map[int]bool)
		for g, th := range test.threads {
			for _, list := range th {
				v := view{uses: make(map[int]use)}
				for _, o := range list {
					v.uses[o], written[o] = reads|writes, true
				}
				l.by[uint64(g+1)] = append(l.by[uint64(g+1)], v)
			}
		}
		got := 0
		l.conflicts(anyUse, written, func(ViewReport) { got++ })
		if got != test.want {
			t.Errorf("example %s: %d conflicts, want %d", test.name, got, test.want)
		}
		l.conflicts(anyUse, nil, func(ViewReport) { t.Errorf("example %s: a conflict of constants", test.name) })
	}
}
