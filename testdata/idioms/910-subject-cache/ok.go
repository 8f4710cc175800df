// Package subjects routes the messages of a building's sensors to the
// programs interested in them. Subjects are words with dots between, as in
// "floor3.room12.temp"; an interest may have "*" in place of a word.
package subjects

import (
	"errors"
	"slices"
	"strings"
	"sync"
)

const maxCached = 4096

// ErrPattern is returned for an interest that is not well formed.
var ErrPattern = errors.New("subjects: bad pattern")

// Interest is a pattern and who has it.
type Interest struct {
	Pattern string
	Program string

	words []string
}

func (in *Interest) matches(words []string) bool {
	if len(in.words) != len(words) {
		return false
	}
	for i, w := range in.words {
		if w != "*" && w != words[i] {
			return false
		}
	}
	return true
}

// Router finds the interests in a subject. Matching is slow when there are
// many, so results are kept until the interests change. It is safe for
// concurrent use.
type Router struct {
	mu        sync.Mutex
	gen       uint64      // raised when interests is replaced
	interests []*Interest // never changed in place
	cache     map[string][]*Interest
}

// NewRouter returns a router without interests.
func NewRouter() *Router {
	return &Router{cache: make(map[string][]*Interest)}
}

// Add registers the interest of a program.
func (r *Router) Add(pattern, program string) (*Interest, error) {
	words := strings.Split(pattern, ".")
	if slices.Contains(words, "") {
		return nil, ErrPattern
	}
	in := &Interest{Pattern: pattern, Program: program, words: words}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.replace(append(slices.Clone(r.interests), in))
	return in, nil
}

// Remove takes an interest back. It is no error to do so twice.
func (r *Router) Remove(in *Interest) {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.Index(r.interests, in)
	if i < 0 {
		return
	}
	r.replace(slices.Delete(slices.Clone(r.interests), i, i+1))
}

// replace puts a new list of interests in force. The caller holds r.mu.
func (r *Router) replace(list []*Interest) {
	r.interests = list
	r.gen++
	clear(r.cache)
}

// Match returns the interests in a subject as of some moment during the call.
// The slice is shared and must not be changed.
func (r *Router) Match(subject string) []*Interest {
	r.mu.Lock()
	if hit, ok := r.cache[subject]; ok {
		r.mu.Unlock()
		return hit
	}
	list, gen := r.interests, r.gen
	r.mu.Unlock()

	found := match(list, subject)

	r.mu.Lock()
	defer r.mu.Unlock()
	if r.gen == gen {
		if len(r.cache) >= maxCached {
			clear(r.cache)
		}
		r.cache[subject] = found
	}
	return found
}

func match(list []*Interest, subject string) []*Interest {
	words := strings.Split(subject, ".")
	var found []*Interest
	for _, in := range list {
		if in.matches(words) {
			found = append(found, in)
		}
	}
	return slices.Clip(found)
}

// Programs returns the names of the programs interested in a subject, each
// once.
func (r *Router) Programs(subject string) []string {
	var names []string
	for _, in := range r.Match(subject) {
		names = append(names, in.Program)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
