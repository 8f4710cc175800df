package arena

import (
	"maps"
	"slices"
	"sync"
)

type Record struct {
	Points int
	Wins   int
	Level  int
}

func (r *Record) add(points int) {
	r.Points += points
	if points > 0 {
		r.Wins++
	}
	r.Level = 1 + r.Points/100
}

type table struct {
	sync.RWMutex
	rows map[string]Record
}

type Arena struct {
	table
	results chan [2]string
}

func New() *Arena {
	a := &Arena{results: make(chan [2]string, 32)}
	a.rows = make(map[string]Record)
	go func() {
		for pair := range a.results {
			a.Award(pair[0], 30)
			a.Award(pair[1], -10)
		}
	}()
	return a
}

func (a *Arena) Result(winner, loser string) { a.results <- [2]string{winner, loser} }

func (a *Arena) Award(name string, points int) Record {
	a.Lock()
	defer a.Unlock()
	r := a.rows[name]
	r.add(points)
	a.rows[name] = r
	return r
}

func (a *Arena) Ranking() []string {
	a.RLock()
	rows := maps.Clone(a.rows)
	a.RUnlock()
	return slices.SortedFunc(maps.Keys(rows), func(x, y string) int {
		return rows[y].Points - rows[x].Points
	})
}
