package idiom

import "sync"

// Tokens are given for a revision of the users, which is only raised.
type Tokens struct {
	mu       sync.Mutex
	users    map[string]string
	tokens   map[string]string
	revision int
}

// NewTokens has no users.
func NewTokens() *Tokens { return &Tokens{users: map[string]string{}, tokens: map[string]string{}} }

// SetUser changes a user, whose tokens are then void.
func (t *Tokens) SetUser(name, password string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.users[name] = password
	for token, of := range t.tokens {
		if of == name {
			delete(t.tokens, token)
		}
	}
	t.revision++
}

// Revision is that of the users.
func (t *Tokens) Revision() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.revision
}

func (t *Tokens) assign(token, name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.tokens[token] = name
}

func (t *Tokens) revoke(token string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.tokens, token)
}

// Name returns whom a token is for.
func (t *Tokens) Name(token string) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.tokens[token]
}

// Give takes back a token if there is another revision: that will not be the old one again.
func (t *Tokens) Give(name string, draw func() string) bool {
	checked := t.Revision()
	token := draw()
	t.assign(token, name)
	if t.Revision() != checked {
		t.revoke(token)
		return false
	}
	return true
}

// Desk has a name for each file, which it gives where it opens one.
type Desk struct {
	mu    sync.Mutex
	files map[string]*file

	namesMu sync.Mutex
	names   map[string]int
}

type file struct{ number int }

// NewDesk has no files.
func NewDesk() *Desk { return &Desk{files: map[string]*file{}, names: map[string]int{}} }

func (d *Desk) number(name string) int {
	d.namesMu.Lock()
	defer d.namesMu.Unlock()
	return d.names[name]
}

func (d *Desk) setNumber(name string, n int) {
	d.namesMu.Lock()
	defer d.namesMu.Unlock()
	d.names[name] = n
}

// Open asks for the file again, and whoever gives a number makes a file.
func (d *Desk) Open(name string, next func() int) *file {
	n := d.number(name)
	d.mu.Lock()
	defer d.mu.Unlock()
	if f := d.files[name]; f != nil {
		return f
	}
	if n == 0 {
		n = next()
		d.setNumber(name, n)
	}
	f := &file{n}
	d.files[name] = f
	return f
}
