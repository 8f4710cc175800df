// Package digest sends the posts of a list in one mail a day.
package digest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// ErrSending is returned while a digest is under way.
var ErrSending = errors.New("digest: already sending")

// Post is a message with its number in the list.
type Post struct {
	Seq  uint64
	From string
	Text string
}

// Mail delivers a digest to one member.
type Mail func(ctx context.Context, to string, posts []Post) error

type member struct {
	addr string
	sent uint64
}

// Board is one list.
type Board struct {
	name string
	mail Mail

	mu      sync.RWMutex
	posts   []Post
	seq     uint64
	members map[string]*member
	sending bool

	limitMu sync.Mutex
	limit   map[string]time.Time
}

// NewBoard returns an empty list.
func NewBoard(name string, mail Mail) *Board {
	return &Board{name: name, mail: mail, members: make(map[string]*member), limit: make(map[string]time.Time)}
}

// Join adds a member who gets the posts from now on.
func (b *Board) Join(addr string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, ok := b.members[addr]; !ok {
		b.members[addr] = &member{addr: addr, sent: b.seq}
	}
}

// Leave removes a member.
func (b *Board) Leave(addr string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.members, addr)
}

// Add appends a post.
func (b *Board) Add(from, text string) uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.seq++
	b.posts = append(b.posts, Post{Seq: b.seq, From: from, Text: text})
	return b.seq
}

func (b *Board) begin() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.sending {
		return false
	}
	b.sending = true
	return true
}

func (b *Board) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sending = false
}

type job struct {
	m     *member
	since uint64
}

// plan returns the posts so far, the newest number and who lacks any of them.
func (b *Board) plan() ([]Post, uint64, []job) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	var jobs []job
	for _, m := range b.members {
		if m.sent < b.seq {
			jobs = append(jobs, job{m, m.sent})
		}
	}
	return slices.Clone(b.posts), b.seq, jobs
}

func after(posts []Post, seq uint64) []Post {
	i, _ := slices.BinarySearchFunc(posts, seq+1, func(p Post, s uint64) int {
		switch {
		case p.Seq < s:
			return -1
		case p.Seq > s:
			return 1
		}
		return 0
	})
	return posts[i:]
}

func (b *Board) mark(m *member, upTo uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	m.sent = max(m.sent, upTo)
}

// trim drops the posts which every member has.
func (b *Board) trim() {
	b.mu.Lock()
	defer b.mu.Unlock()
	low := b.seq
	for _, m := range b.members {
		low = min(low, m.sent)
	}
	b.posts = slices.Clone(after(b.posts, low))
}

// Send mails what is new to all members; who could not be reached gets it the next time.
func (b *Board) Send(ctx context.Context) error {
	if !b.begin() {
		return fmt.Errorf("%w: %s", ErrSending, b.name)
	}
	defer b.end()
	posts, upTo, jobs := b.plan()
	var errs []error
	for _, j := range jobs {
		if b.resting(j.m.addr) {
			continue
		}
		if err := b.mail(ctx, j.m.addr, after(posts, j.since)); err != nil {
			b.rest(j.m.addr, time.Hour)
			errs = append(errs, fmt.Errorf("digest: %s: %w", j.m.addr, err))
			continue
		}
		b.mark(j.m, upTo)
	}
	b.trim()
	return errors.Join(errs...)
}

func (b *Board) resting(addr string) bool {
	b.limitMu.Lock()
	defer b.limitMu.Unlock()
	return time.Now().Before(b.limit[addr])
}

func (b *Board) rest(addr string, d time.Duration) {
	until := time.Now().Add(d)
	b.limitMu.Lock()
	defer b.limitMu.Unlock()
	if until.After(b.limit[addr]) {
		b.limit[addr] = until
	}
}

// Run sends a digest now and then until ctx is done.
func (b *Board) Run(ctx context.Context, every time.Duration, report func(error)) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			if err := b.Send(ctx); err != nil && !errors.Is(err, ErrSending) {
				report(err)
			}
		}
	}
}

// Unread returns how many posts a member has not got.
func (b *Board) Unread(addr string) int {
	b.mu.RLock()
	defer b.mu.RUnlock()
	m, ok := b.members[addr]
	if !ok {
		return 0
	}
	return len(after(b.posts, m.sent))
}
