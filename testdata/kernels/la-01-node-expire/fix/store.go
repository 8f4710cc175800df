package store

import (
	"path"
	"sync"
	"time"
)

type Stats struct {
	SetCount    uint64
	DeleteCount uint64
	ExpireCount uint64
}

type watcherHub struct {
	watchers map[string][]chan string
}

// notify is called with the world lock held.
func (wh *watcherHub) notify(action, nodePath string) {
	for _, c := range wh.watchers[nodePath] {
		select {
		case c <- action:
		default:
		}
	}
}

type Store struct {
	Root       *Node
	WatcherHub *watcherHub
	Index      uint64
	Stats      *Stats
	worldLock  sync.RWMutex // stop the world lock
}

func New() *Store {
	return &Store{
		Root:       newDir("/", 0, nil, Permanent),
		WatcherHub: &watcherHub{watchers: make(map[string][]chan string)},
		Stats:      &Stats{},
	}
}

// expireCallback is called once for every node that went away by its ttl.
func (s *Store) expireCallback(nodePath string) {
	s.WatcherHub.notify("expire", nodePath)
	s.Stats.ExpireCount++
}

// Get function returns the value of a node.
func (s *Store) Get(nodePath string) (string, error) {
	s.worldLock.RLock()
	defer s.worldLock.RUnlock()

	n, ok := s.Root.Children[path.Base(nodePath)]
	if !ok {
		return "", ErrNotFound
	}
	return n.Value, nil
}

// Create function creates the Node at nodePath. Create will help to create intermediate directories with no ttl.
func (s *Store) Create(nodePath, value string, expireTime time.Time) error {
	s.worldLock.Lock()
	defer s.worldLock.Unlock()

	s.Index++
	n := newKV(nodePath, value, s.Index, s.Root, expireTime)
	if err := s.Root.Add(n); err != nil {
		return err
	}
	if !n.IsPermanent() {
		n.Expire(s)
	}
	s.Stats.SetCount++
	return nil
}

// Update function updates the value/ttl of the node.
func (s *Store) Update(nodePath, value string, expireTime time.Time) error {
	s.worldLock.Lock()
	defer s.worldLock.Unlock()

	n, ok := s.Root.Children[path.Base(nodePath)]
	if !ok {
		return ErrNotFound
	}
	s.Index++
	if err := n.Write(value, s.Index); err != nil {
		return err
	}
	n.UpdateTTL(expireTime, s)
	s.WatcherHub.notify("update", nodePath)
	return nil
}

// Delete function deletes the node at the given path.
func (s *Store) Delete(nodePath string, recursive bool) error {
	s.worldLock.Lock()
	defer s.worldLock.Unlock()

	n, ok := s.Root.Children[path.Base(nodePath)]
	if !ok {
		return ErrNotFound
	}
	err := n.Remove(recursive, func(p string) {
		s.WatcherHub.notify("delete", p)
	})
	if err == nil {
		s.Stats.DeleteCount++
	}
	return err
}

// Watch function watches for changes of a node.
func (s *Store) Watch(nodePath string) <-chan string {
	s.worldLock.Lock()
	defer s.worldLock.Unlock()

	c := make(chan string, 1)
	s.WatcherHub.watchers[nodePath] = append(s.WatcherHub.watchers[nodePath], c)
	return c
}
