package a

import (
	"sort"
	"sync"
)

type typedMap[K comparable, V any] struct {
	m sync.Map
}

func (t *typedMap[K, V]) get(k K) (v V, ok bool) {
	x, ok := t.m.Load(k)
	if !ok {
		return v, false
	}
	return x.(V), true
}

func (t *typedMap[K, V]) set(k K, v V) { t.m.Store(k, v) }

func (t *typedMap[K, V]) getOrSet(k K, v V) (V, bool) {
	x, loaded := t.m.LoadOrStore(k, v)
	return x.(V), loaded
}

func (t *typedMap[K, V]) each(fn func(K, V) bool) {
	t.m.Range(func(k, v any) bool { return fn(k.(K), v.(V)) })
}

type show struct {
	feed string

	mu        sync.Mutex
	followers map[string]bool
	episodes  []string
}

func newShow(feed string) *show {
	return &show{feed: feed, followers: make(map[string]bool)}
}

func (s *show) follow(user string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.followers[user] = true
}

func (s *show) publish(title string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.episodes = append(s.episodes, title)
	return len(s.followers)
}

// Directory knows the podcasts and who follows them.
type Directory struct {
	shows typedMap[string, *show]
}

// Follow subscribes user to the podcast with that feed.
func (d *Directory) Follow(feed, user string) {
	s, ok := d.shows.get(feed)
	if !ok {
		s, _ = d.shows.getOrSet(feed, newShow(feed))
	}
	s.follow(user)
}

// Import loads a list of feeds.
func (d *Directory) Import(feeds []string) (added int) {
	for _, f := range feeds {
		if _, loaded := d.shows.getOrSet(f, newShow(f)); !loaded {
			added++
		}
	}
	return added
}

// Publish adds an episode and tells how many people get it.
func (d *Directory) Publish(feed, title string) int {
	s, ok := d.shows.get(feed)
	if !ok {
		return 0
	}
	return s.publish(title)
}

// Feeds lists all feeds by name.
func (d *Directory) Feeds() []string {
	var out []string
	d.shows.each(func(k string, _ *show) bool {
		out = append(out, k)
		return true
	})
	sort.Strings(out)
	return out
}
