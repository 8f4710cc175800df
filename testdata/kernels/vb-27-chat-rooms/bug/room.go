package chat

import (
	"errors"
	"sync"
)

var ErrFull = errors.New("chat: room is full")

// Room holds a limited number of members.
type Room struct {
	mu      sync.Mutex
	limit   int
	members map[string]chan<- string
}

func (r *Room) free() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.limit - len(r.members)
}

func (r *Room) admit(who string, out chan<- string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.members[who] = out
}

// Join adds the member if there is room.
func (r *Room) Join(who string, out chan<- string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.members) >= r.limit {
		return ErrFull
	}
	r.members[who] = out
	return nil
}

func (r *Room) Leave(who string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.members, who)
}

// Say sends text to everybody whose queue is not full.
func (r *Room) Say(text string) (reached int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, out := range r.members {
		select {
		case out <- text:
			reached++
		default:
		}
	}
	return reached
}
