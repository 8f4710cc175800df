package matchmaking

import (
	"slices"
	"sync"
	"time"
)

// Ticket is a player who waits.
type Ticket struct {
	Player string
	Rating int
	Since  time.Time
}

// band is the queue of players with similar ratings.
type band struct {
	sync.Mutex
	waiting []*Ticket
}

func (b *band) push(t *Ticket) {
	b.Lock()
	defer b.Unlock()
	b.waiting = append(b.waiting, t)
}

// remove reports whether t was waiting.
func (b *band) remove(t *Ticket) bool {
	b.Lock()
	defer b.Unlock()
	i := slices.Index(b.waiting, t)
	if i < 0 {
		return false
	}
	b.waiting = slices.Delete(b.waiting, i, i+1)
	return true
}

// closest returns who is nearest to t, except t itself.
func (b *band) closest(t *Ticket, spread int) *Ticket {
	b.Lock()
	defer b.Unlock()
	var best *Ticket
	for _, w := range b.waiting {
		if w == t || w.Player == t.Player {
			continue
		}
		if d := distance(w, t); d <= spread && (best == nil || d < distance(best, t)) {
			best = w
		}
	}
	return best
}

func (b *band) find(player string) *Ticket {
	b.Lock()
	defer b.Unlock()
	for _, w := range b.waiting {
		if w.Player == player {
			return w
		}
	}
	return nil
}

func (b *band) size() int {
	b.Lock()
	defer b.Unlock()
	return len(b.waiting)
}

func distance(a, b *Ticket) int {
	if a.Rating > b.Rating {
		return a.Rating - b.Rating
	}
	return b.Rating - a.Rating
}
