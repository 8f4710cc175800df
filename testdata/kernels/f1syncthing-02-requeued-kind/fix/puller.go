// Package fix brings a folder to the state that the other devices announce.
package fix

import (
	"sort"
	"sync"
)

// Item is one entry of the global index.
type Item struct {
	Name    string
	Version uint64
	Deleted bool
	Dir     bool
	Blocks  []string
}

// Index is the global and the local state; it locks itself.
type Index struct {
	mu     sync.RWMutex
	global map[string]Item
	local  map[string]Item
}

// NewIndex returns an empty index.
func NewIndex() *Index {
	return &Index{global: make(map[string]Item), local: make(map[string]Item)}
}

// UpdateGlobal is called when another device sends its index.
func (x *Index) UpdateGlobal(items []Item) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, it := range items {
		if old, ok := x.global[it.Name]; !ok || old.Version < it.Version {
			x.global[it.Name] = it
		}
	}
}

func (x *Index) needed() []Item {
	x.mu.RLock()
	defer x.mu.RUnlock()
	var need []Item
	for name, g := range x.global {
		if l, ok := x.local[name]; !ok && !g.Deleted || ok && l.Version < g.Version {
			need = append(need, g)
		}
	}
	sort.Slice(need, func(i, j int) bool { return need[i].Name < need[j].Name })
	return need
}

func (x *Index) lookup(name string) (Item, bool) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	it, ok := x.global[name]
	return it, ok
}

func (x *Index) record(it Item) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.local[it.Name] = it
}

// workList is shown and reordered by the user interface.
type workList struct {
	mu       sync.Mutex
	queued   []string
	progress []string
}

func (q *workList) push(name string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.queued = append(q.queued, name)
}

func (q *workList) pop() (string, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.queued) == 0 {
		return "", false
	}
	name := q.queued[0]
	q.queued = q.queued[1:]
	q.progress = append(q.progress, name)
	return name, true
}

func (q *workList) done(name string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i, n := range q.progress {
		if n == name {
			q.progress = append(q.progress[:i], q.progress[i+1:]...)
			return
		}
	}
}

func (q *workList) raise(name string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i, n := range q.queued {
		if n == name {
			copy(q.queued[1:i+1], q.queued[:i])
			q.queued[0] = name
			return
		}
	}
}

// FS is the file system.
type FS interface {
	Mkdir(name string) error
	Write(name string, blocks []string) error
	Remove(name string) error
}

// Puller works on one folder.
type Puller struct {
	index *Index
	fs    FS
	queue workList
}

// NewPuller returns a puller.
func NewPuller(x *Index, fs FS) *Puller { return &Puller{index: x, fs: fs} }

// Prioritize moves a file to the front.
func (p *Puller) Prioritize(name string) { p.queue.raise(name) }

// Iterate makes one pass and returns the number of changes.
func (p *Puller) Iterate() int {
	changed := 0
	var fileDeletions, dirDeletions []Item

	sortOut := func(it Item) bool {
		switch {
		case it.Deleted:
			if it.Dir {
				dirDeletions = append(dirDeletions, it)
			} else {
				fileDeletions = append(fileDeletions, it)
			}
		case it.Dir:
			p.makeDir(it)
		default:
			return false
		}
		return true
	}

	for _, it := range p.index.needed() {
		if !sortOut(it) {
			p.queue.push(it.Name)
		}
		changed++
	}

	for {
		name, ok := p.queue.pop()
		if !ok {
			break
		}
		it, ok := p.index.lookup(name)
		if !ok {
			p.queue.done(name)
			continue
		}
		if sortOut(it) {
			p.queue.done(name)
			continue
		}
		p.writeFile(it)
		p.queue.done(name)
	}

	for _, it := range fileDeletions {
		p.remove(it)
	}
	for i := len(dirDeletions) - 1; i >= 0; i-- {
		p.remove(dirDeletions[i])
	}
	return changed
}

func (p *Puller) makeDir(it Item) {
	if p.fs.Mkdir(it.Name) == nil {
		p.index.record(it)
	}
}

func (p *Puller) writeFile(it Item) {
	if p.fs.Write(it.Name, it.Blocks) == nil {
		p.index.record(it)
	}
}

func (p *Puller) remove(it Item) {
	if p.fs.Remove(it.Name) == nil {
		p.index.record(it)
	}
}
