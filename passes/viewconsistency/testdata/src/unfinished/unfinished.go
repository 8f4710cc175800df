// Package unfinished has objects that others find before their fields are set.
package unfinished

import (
	"sync"
	"sync/atomic"
)

type post struct {
	deliver func(string)
	name    string
	ready   bool
	log     *log
}

type log struct{ lines int }

func (l *log) add() { l.lines++ }

func drop(string) {}

// A Board has posts, which get all messages.
type Board struct {
	mu    sync.Mutex
	posts map[string]*post
	list  []*post
}

func NewBoard() *Board { return &Board{posts: make(map[string]*post)} }

func (b *Board) put(name string, p *post) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.posts[name] = p
}

// Add enters a post, and then says what it does with messages.
func (b *Board) Add(name string, deliver func(string)) {
	p := new(post)
	b.put(name, p)
	b.mu.Lock()
	p.deliver = deliver // want `early-signal: post\.deliver is set here, after the object was entered in b\.posts\[name\] at line 40, in an earlier critical section: \(\*Board\)\.Send \(unfinished\.go:\d+\) may find it there in between, and fails as the field is not set`
	b.mu.Unlock()
}

// AddToList does the same with a list.
func (b *Board) AddToList(l *log) {
	p := new(post)
	b.mu.Lock()
	b.list = append(b.list, p)
	b.mu.Unlock()
	b.mu.Lock()
	p.log = l // want `post\.log is set here, after the object was entered in b\.list at line 50`
	b.mu.Unlock()
}

// AddNamed sets a field that nobody needs.
func (b *Board) AddNamed(name string) {
	p := &post{deliver: drop}
	b.put(name, p)
	b.mu.Lock()
	p.name = name
	b.mu.Unlock()
}

// AddWithDefault has something else do with messages until it is told.
func (b *Board) AddWithDefault(name string, deliver func(string)) {
	p := &post{deliver: drop}
	b.put(name, p)
	b.mu.Lock()
	p.deliver = deliver
	b.mu.Unlock()
}

// AddLocked has one section.
func (b *Board) AddLocked(name string, deliver func(string)) {
	p := new(post)
	b.mu.Lock()
	b.posts[name] = p
	p.deliver = deliver
	b.mu.Unlock()
}

// AddFirst sets the field before anybody has the post.
func (b *Board) AddFirst(name string, deliver func(string)) {
	p := new(post)
	b.mu.Lock()
	p.deliver = deliver
	b.mu.Unlock()
	b.put(name, p)
}

// Send gives a message to all posts.
func (b *Board) Send(m string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, p := range b.posts {
		p.deliver(m)
	}
	for _, p := range b.list {
		p.log.add()
	}
}

// Names has the names of the posts.
func (b *Board) Names() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []string
	for _, p := range b.posts {
		out = append(out, p.name)
	}
	return out
}

// A Rack has posts that say when they are ready.
type Rack struct {
	mu    sync.Mutex
	posts map[string]*post
}

func NewRack() *Rack { return &Rack{posts: make(map[string]*post)} }

// AddReady sets the fields when the post is there already.
func (r *Rack) AddReady(name string, deliver func(string)) {
	p := new(post)
	r.mu.Lock()
	r.posts[name] = p
	r.mu.Unlock()
	r.mu.Lock()
	p.deliver, p.ready = deliver, true
	r.mu.Unlock()
}

// Send passes over the posts that are not ready.
func (r *Rack) Send(m string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range r.posts {
		if p.ready {
			p.deliver(m)
		}
	}
}

// A shelf has one goroutine, which adds posts and sends to them.
type shelf struct {
	mu    sync.Mutex
	posts map[string]*post
}

// Shelve starts the goroutine.
func Shelve(names <-chan string, deliver func(string)) {
	s := &shelf{posts: make(map[string]*post)}
	go func() {
		for name := range names {
			s.add(name, deliver)
			s.send(name)
		}
	}()
}

func (s *shelf) add(name string, deliver func(string)) {
	p := new(post)
	s.mu.Lock()
	s.posts[name] = p
	s.mu.Unlock()
	s.mu.Lock()
	p.deliver = deliver
	s.mu.Unlock()
}

func (s *shelf) send(m string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.posts {
		p.deliver(m)
	}
}

func newPost(name string) *post { return &post{name: name} }

// AddMade has the post from another function.
func (b *Board) AddMade(name string, deliver func(string)) {
	p := newPost(name)
	b.put(name, p)
	b.mu.Lock()
	p.deliver = deliver // want `post\.deliver is set here`
	b.mu.Unlock()
}

func (p *post) reset() { p.deliver = drop }

// AddReset has another method set the field first.
func (b *Board) AddReset(name string, deliver func(string)) {
	p := new(post)
	b.mu.Lock()
	b.posts[name] = p
	p.reset()
	b.mu.Unlock()
	b.mu.Lock()
	p.deliver = deliver
	b.mu.Unlock()
}

// AddCopied begins with a copy.
func (b *Board) AddCopied(name string, like *post, deliver func(string)) {
	p := new(post)
	*p = *like
	b.put(name, p)
	b.mu.Lock()
	p.deliver = deliver
	b.mu.Unlock()
}

// A Range has targets that say by an atomic flag that they are ready, and a number of those that are.
type Range struct {
	mu      sync.Mutex
	targets []*target
	moving  []*target
	count   int
}

type target struct {
	hit   func()
	ready atomic.Bool
}

func (r *Range) Add(hit func()) {
	t := new(target)
	r.mu.Lock()
	r.targets = append(r.targets, t)
	r.mu.Unlock()
	r.mu.Lock()
	t.hit = hit
	r.mu.Unlock()
	t.ready.Store(true)
}

func (r *Range) Fire() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, t := range r.targets {
		if t.ready.Load() {
			t.hit()
		}
	}
}

// AddMoving counts what is complete.
func (r *Range) AddMoving(hit func()) {
	t := new(target)
	r.mu.Lock()
	r.moving = append(r.moving, t)
	r.mu.Unlock()
	r.mu.Lock()
	t.hit = hit
	r.count++
	r.mu.Unlock()
}

// FireMoving goes to the last one that is.
func (r *Range) FireMoving() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, t := range r.moving {
		if i >= r.count {
			break
		}
		t.hit()
	}
}

type rows struct{ all map[string]*post }

// A Press has two lists of one kind, and sends to one of them.
type Press struct {
	mu         sync.Mutex
	draft, out rows
}

func (p *Press) Draft(name string, deliver func(string)) {
	x := new(post)
	p.mu.Lock()
	p.draft.all[name] = x
	p.mu.Unlock()
	p.mu.Lock()
	x.deliver = deliver
	p.mu.Unlock()
}

func (p *Press) Send(m string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, x := range p.out.all {
		x.deliver(m)
	}
}
