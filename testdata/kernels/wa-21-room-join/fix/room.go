package room

import (
	"slices"
	"sync"
)

const slack = 64

// Room keeps everything said and passes it on to the members.
type Room struct {
	mu      sync.Mutex
	lines   []string
	members map[int]chan string
	last    int
}

func New() *Room { return &Room{members: make(map[int]chan string)} }

// Say appends a line. Members who do not keep up are put out of the room.
func (r *Room) Say(line string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines = append(r.lines, line)
	for id, m := range r.members {
		select {
		case m <- line:
		default:
			delete(r.members, id)
			close(m)
		}
	}
}

func (r *Room) transcript() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.lines)
}

// Transcript returns what was said from line n on.
func (r *Room) Transcript(n int) []string {
	if all := r.transcript(); n < len(all) {
		return all[max(n, 0):]
	}
	return nil
}

// Join returns a channel with every line of the room, those said before
// included, and a function to leave.
func (r *Room) Join() (<-chan string, func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	ch := make(chan string, len(r.lines)+slack)
	for _, line := range r.lines {
		ch <- line
	}
	r.last++
	id := r.last
	r.members[id] = ch
	return ch, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if _, in := r.members[id]; in {
			delete(r.members, id)
			close(ch)
		}
	}
}
