// Package escaped has references to guarded containers that are given to callers, appended
// to, or that lead to containers in containers.
package escaped

import (
	"slices"
	"sync"
)

type Choir struct {
	mu     sync.RWMutex
	voices map[string][]int
	log    map[string][]int
	rooms  map[string]map[int]string
	all    []int
	order  []int
	frozen []int
}

// Sing sorts the list of a voice where it is.
func (c *Choir) Sing(voice string, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := append(c.voices[voice], n)
	c.voices[voice] = list
	for i := len(list) - 1; i > 0 && list[i] < list[i-1]; i-- {
		list[i], list[i-1] = list[i-1], list[i]
	}
	c.log[voice] = append(c.log[voice], n)
	c.all = append(c.all, n)
	c.all[0] = max(c.all[0], n)
	c.frozen = append(slices.Clone(c.frozen), n)
}

func (c *Choir) Enter(room string, n int, name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.rooms[room] == nil {
		c.rooms[room] = make(map[int]string)
	}
	c.rooms[room][n] = name
}

func (c *Choir) Sort() {
	c.mu.Lock()
	defer c.mu.Unlock()
	slices.Sort(c.voices[""])
}

func (c *Choir) Loudest(voice string) (n int) {
	c.mu.RLock()
	list := c.voices[voice]
	c.mu.RUnlock()
	for _, v := range list { // want `escape-ref: c.voices\[voice\] was taken at line \d+ under c.mu and is used here after that was released, while \(\*Choir\).S\w+ changes elements of it in place`
		n = max(n, v)
	}
	return n
}

func (c *Choir) Guests(room string) (n int) {
	c.mu.RLock()
	guests := c.rooms[room]
	c.mu.RUnlock()
	for range guests { // want `escape-ref: c.rooms\[room\] was taken`
		n++
	}
	return n
}

func (c *Choir) LoudestOfCopy(voice string) (n int) {
	c.mu.RLock()
	list := slices.Clone(c.voices[voice])
	c.mu.RUnlock()
	for _, v := range list {
		n = max(n, v)
	}
	return n
}

func (c *Choir) Voices(voice string) []int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.voices[voice] // want `escape-ref: c.voices\[voice\] was taken at line \d+ under c.mu and is returned here to callers without that lock`
}

// Log gives away a list that is only appended to: what was taken stays as it is.
func (c *Choir) Log(voice string) []int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.log[voice]
}

func (c *Choir) All() []int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.all // want `escape-ref: c.all was taken at line \d+ under c.mu and is returned here`
}

// Frozen gives away a list that is only replaced.
func (c *Choir) Frozen() []int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.frozen
}

// AllLocked returns with the lock held.
func (c *Choir) LockAll() []int {
	c.mu.Lock()
	return c.all
}

func (c *Choir) Unlock() { c.mu.Unlock() }

// voicesOf is for callers in the package.
func (c *Choir) voicesOf(voice string) []int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.voices[voice]
}

func (c *Choir) Count(voice string) int { return len(c.voicesOf(voice)) }

type Herald struct {
	mu   sync.Mutex
	head []byte
	tail []byte
}

func (h *Herald) Title(t string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.head = append(append([]byte("hear ye, "), t...), ": "...)
	h.tail = slices.Clip(append([]byte(t), '\n'))
}

func (h *Herald) Shout(news string) []byte {
	h.mu.Lock()
	head := h.head
	h.mu.Unlock()
	return append(head, news...) // want `escape-ref: h.head was taken at line \d+ under h.mu and is appended to here after that was released, which may write into the array that all share, while \(\*Herald\).Shout may be doing the same`
}

// Whisper has no room in its slice.
func (h *Herald) Whisper(news string) []byte {
	h.mu.Lock()
	head := h.head[:len(h.head):len(h.head)]
	h.mu.Unlock()
	return append(head, news...)
}

// End appends to a slice that never has room.
func (h *Herald) End(news string) []byte {
	h.mu.Lock()
	tail := h.tail
	h.mu.Unlock()
	return append(tail, news...)
}

// Drain owns what it appends to.
func (h *Herald) Drain(news string) []byte {
	h.mu.Lock()
	head := h.head
	h.head = nil
	h.mu.Unlock()
	return append(head, news...)
}
