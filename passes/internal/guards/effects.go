package guards

import "github.com/atomvet/atomvet/passes/internal/fact"

// takeEffects gives the writers that call the function which makes a write the effect of that, which is one of known:
// both are at one position.
func takeEffects(writers, known []fact.Writer) {
	effects := make(map[string]fact.Effect)
	for _, w := range known {
		if w.Effect != fact.Anything {
			effects[w.Pos.Text] = w.Effect
		}
	}
	for i := range writers {
		if w := &writers[i]; w.Effect == fact.Anything && w.Pos.Text != "" {
			w.Effect = effects[w.Pos.Text]
		}
	}
}
