package bracket

import (
	"errors"
	"sync"
)

var (
	ErrPlayed = errors.New("bracket: match has been played")
	ErrDraw   = errors.New("bracket: no draws in a knockout")
)

// Bracket is one round of a knockout tournament.
type Bracket struct {
	mu      sync.Mutex
	matches []*Match
}

// Match is guarded by the lock of its bracket.
type Match struct {
	in         *Bracket
	home, away string
	score      [2]int
	played     bool
	winner     string
}

// NewBracket pairs the players in the order given; a single one is left over.
func NewBracket(players []string) *Bracket {
	b := new(Bracket)
	for ; len(players) >= 2; players = players[2:] {
		b.matches = append(b.matches, &Match{in: b, home: players[0], away: players[1]})
	}
	return b
}

func (b *Bracket) with(f func() error) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return f()
}

// Match returns the i-th match.
func (b *Bracket) Match(i int) *Match { return b.matches[i] }

// Report enters the result of the match; it can be entered once.
func (m *Match) Report(home, away int) error {
	if home == away {
		return ErrDraw
	}
	winner := m.home
	if away > home {
		winner = m.away
	}
	return m.in.with(func() error {
		if m.played {
			return ErrPlayed
		}
		m.score = [2]int{home, away}
		m.played = true
		m.winner = winner
		return nil
	})
}

// Score returns the result so far.
func (m *Match) Score() (home, away int, played bool) {
	m.in.mu.Lock()
	defer m.in.mu.Unlock()
	return m.score[0], m.score[1], m.played
}

// Next returns the following round as soon as all matches have been played.
func (b *Bracket) Next() (*Bracket, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var through []string
	for _, m := range b.matches {
		if !m.played {
			return nil, false
		}
		through = append(through, m.winner)
	}
	return NewBracket(through), true
}
