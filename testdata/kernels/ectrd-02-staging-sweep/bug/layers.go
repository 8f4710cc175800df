// Package bug stores layers, each in a directory of its own.
package bug

import (
	"errors"
	"fmt"
	"log"
	"sort"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

var (
	errNoDir   = errors.New("no such directory")
	errTaken   = errors.New("name is taken")
	errNoLayer = errors.New("no such layer")
	errInUse   = errors.New("layer has children")
)

// volume stands for the file system below the root of the store.
type volume struct {
	mu   sync.Mutex
	seq  int
	dirs map[string][]string
}

func (v *volume) mkTemp(prefix string) string {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.seq++
	name := prefix + strconv.Itoa(v.seq)
	v.dirs[name] = nil
	return name
}

func (v *volume) touch(dir, file string) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if _, ok := v.dirs[dir]; !ok {
		return fmt.Errorf("%s: %w", dir, errNoDir)
	}
	v.dirs[dir] = append(v.dirs[dir], file)
	return nil
}

func (v *volume) rename(from, to string) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	files, ok := v.dirs[from]
	if !ok {
		return fmt.Errorf("%s: %w", from, errNoDir)
	}
	delete(v.dirs, from)
	v.dirs[to] = files
	return nil
}

func (v *volume) removeAll(dir string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	delete(v.dirs, dir)
}

func (v *volume) list() []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	out := make([]string, 0, len(v.dirs))
	for d := range v.dirs {
		out = append(out, d)
	}
	sort.Strings(out)
	return out
}

type info struct {
	id     uint64
	name   string
	parent string
	open   bool
}

// catalog is the database; tx runs one writer at a time.
type catalog struct {
	mu     sync.Mutex
	nextID uint64
	byName map[string]*info
}

func (c *catalog) tx(f func() error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return f()
}

// ids needs a transaction.
func (c *catalog) ids() map[string]struct{} {
	out := make(map[string]struct{}, len(c.byName))
	for _, i := range c.byName {
		out[strconv.FormatUint(i.id, 10)] = struct{}{}
	}
	return out
}

const stagePrefix = "new-"

// layerStore is used by many clients at the same time.
type layerStore struct {
	vol     *volume
	cat     *catalog
	creates atomic.Int64
}

func newLayerStore() *layerStore {
	return &layerStore{
		vol: &volume{dirs: make(map[string][]string)},
		cat: &catalog{byName: make(map[string]*info)},
	}
}

// stage lays out the directory of a layer under a temporary name.
func (s *layerStore) stage(open bool) (string, error) {
	td := s.vol.mkTemp(stagePrefix)
	if err := s.vol.touch(td, "fs"); err != nil {
		return td, err
	}
	if open {
		if err := s.vol.touch(td, "work"); err != nil {
			return td, err
		}
	}
	return td, nil
}

func (s *layerStore) create(name, parent string, open bool) (id uint64, err error) {
	s.creates.Add(1)
	td, err := s.stage(open)
	defer func() {
		if err != nil && td != "" {
			s.vol.removeAll(td)
		}
	}()
	if err != nil {
		return 0, fmt.Errorf("stage layer: %w", err)
	}

	err = s.cat.tx(func() error {
		if s.cat.byName[name] != nil {
			return errTaken
		}
		if parent != "" {
			p := s.cat.byName[parent]
			if p == nil || p.open {
				return errNoLayer
			}
		}
		s.cat.nextID++
		id = s.cat.nextID
		if err := s.vol.rename(td, strconv.FormatUint(id, 10)); err != nil {
			return fmt.Errorf("rename: %w", err)
		}
		s.cat.byName[name] = &info{id: id, name: name, parent: parent, open: open}
		return nil
	})
	return id, err
}

// Prepare makes a layer that can be written.
func (s *layerStore) Prepare(name, parent string) (uint64, error) {
	return s.create(name, parent, true)
}

// View makes a layer that can be read.
func (s *layerStore) View(name, parent string) (uint64, error) { return s.create(name, parent, false) }

// Commit freezes a layer.
func (s *layerStore) Commit(name string) error {
	return s.cat.tx(func() error {
		i := s.cat.byName[name]
		if i == nil {
			return errNoLayer
		}
		i.open = false
		return nil
	})
}

// orphans lists the directories that belong to no layer. It needs a transaction.
func (s *layerStore) orphans() []string {
	ids := s.cat.ids()
	var out []string
	for _, d := range s.vol.list() {
		if _, ok := ids[d]; ok || strings.HasPrefix(d, ".") {
			continue
		}
		out = append(out, d)
	}
	return out
}

// Remove drops a layer and then clears up the volume.
func (s *layerStore) Remove(name string) error {
	var dirs []string
	err := s.cat.tx(func() error {
		i := s.cat.byName[name]
		if i == nil {
			return errNoLayer
		}
		for _, c := range s.cat.byName {
			if c.parent == name {
				return errInUse
			}
		}
		delete(s.cat.byName, name)
		dirs = s.orphans()
		return nil
	})
	if err != nil {
		return err
	}
	for _, d := range dirs {
		log.Printf("removing %s", d)
		s.vol.removeAll(d)
	}
	return nil
}
