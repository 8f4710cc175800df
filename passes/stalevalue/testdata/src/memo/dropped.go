package memo

import (
	"regexp"
	"sync"
)

// Loader asks something that changes.
type Loader interface {
	Load(key string) (int, error)
	Save(key string, n int) error
}

// A Row is dropped when it has changed: who has loaded it before puts back the old one.
type Rows struct {
	from Loader
	mu   sync.Mutex
	rows map[string]int
}

func (r *Rows) lookup(key string) (int, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n, ok := r.rows[key]
	return n, ok
}

func (r *Rows) fill(key string, n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.rows[key] = n
}

func (r *Rows) Get(key string) (int, error) {
	if n, ok := r.lookup(key); ok {
		return n, nil
	}
	n, err := r.from.Load(key)
	if err != nil {
		return 0, err
	}
	r.fill(key, n) // want `check-then-act: r.rows\[key\] was checked at line \d+`
	return n, nil
}

func (r *Rows) Update(key string, n int) error {
	err := r.from.Save(key, n)
	r.mu.Lock()
	delete(r.rows, key)
	r.mu.Unlock()
	return err
}

// Patterns makes room by a clear: a pattern is the same whenever it is compiled.
type Patterns struct {
	mu       sync.RWMutex
	compiled map[string]*regexp.Regexp
}

func (p *Patterns) lookup(text string) *regexp.Regexp {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.compiled[text]
}

func (p *Patterns) remember(text string, re *regexp.Regexp) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.compiled) > 100 {
		clear(p.compiled)
	}
	p.compiled[text] = re
}

func (p *Patterns) Get(text string) (*regexp.Regexp, error) {
	if re := p.lookup(text); re != nil {
		return re, nil
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, err
	}
	p.remember(text, re)
	return re, nil
}

// Globs makes its table when it puts the first one into it.
type Globs struct {
	mu     sync.RWMutex
	byGlob map[string]*regexp.Regexp
}

func (g *Globs) cached(glob string) (*regexp.Regexp, bool) {
	g.mu.RLock()
	defer g.mu.RUnlock()
	re, ok := g.byGlob[glob]
	return re, ok
}

func (g *Globs) remember(glob string, re *regexp.Regexp) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.byGlob == nil {
		g.byGlob = make(map[string]*regexp.Regexp)
	}
	g.byGlob[glob] = re
}

func (g *Globs) match(glob, path string) bool {
	re, ok := g.cached(glob)
	if !ok {
		re = regexp.MustCompile("^" + regexp.QuoteMeta(glob))
		g.remember(glob, re)
	}
	return re.MatchString(path)
}

// Serve is called by many.
func (g *Globs) Serve(globs []string, path string) bool {
	for _, glob := range globs {
		if g.match(glob, path) {
			return true
		}
	}
	return false
}

// Queries keeps what it has parsed by its text.
type Queries struct {
	mu    sync.Mutex
	texts map[string]string

	parsed sync.Map // by text
}

func (q *Queries) parse(text string) (*regexp.Regexp, error) {
	if re, ok := q.parsed.Load(text); ok {
		return re.(*regexp.Regexp), nil
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, err
	}
	q.parsed.Store(text, re)
	return re, nil
}

func (q *Queries) Define(name, text string) error {
	if _, err := q.parse(text); err != nil {
		return err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.texts[name] = text
	return nil
}

func (q *Queries) text(name string) (string, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	text, ok := q.texts[name]
	return text, ok
}

// Run parses the text that there was, and keeps that for it.
func (q *Queries) Run(name, in string) bool {
	text, ok := q.text(name)
	if !ok {
		return false
	}
	re, err := q.parse(text)
	return err == nil && re.MatchString(in)
}
