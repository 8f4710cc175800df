package store

import (
	"path"
	"strings"
	"sync"
	"time"
)

const (
	Create = "create"
	Update = "update"
	Delete = "delete"
	Expire = "expire"
)

type Event struct {
	Action    string
	Key       string
	Value     string
	PrevValue string
	Index     uint64
}

func newEvent(action string, key string, index uint64) *Event {
	return &Event{Action: action, Key: key, Index: index}
}

type watcherHub struct {
	mutex    sync.Mutex
	watchers []chan *Event
}

func (wh *watcherHub) watch() <-chan *Event {
	wh.mutex.Lock()
	defer wh.mutex.Unlock()
	c := make(chan *Event, 100)
	wh.watchers = append(wh.watchers, c)
	return c
}

func (wh *watcherHub) notify(e *Event) {
	wh.mutex.Lock()
	defer wh.mutex.Unlock()
	for _, c := range wh.watchers {
		select {
		case c <- e:
		default: // missed a notification
		}
	}
}

type Store struct {
	Root       *Node
	WatcherHub *watcherHub
	Index      uint64
	worldLock  sync.RWMutex // stop the world lock
}

func New() *Store {
	s := new(Store)
	s.Root = newKV("/", "", 0, nil, Permanent)
	s.Root.Children = make(map[string]*Node)
	s.WatcherHub = new(watcherHub)

	return s
}

// Create function creates the Node at nodePath.
func (s *Store) Create(nodePath string, value string, expireTime time.Time, index uint64) (*Event, error) {
	nodePath = path.Clean(path.Join("/", nodePath))

	s.worldLock.Lock()
	defer s.worldLock.Unlock()

	s.Index = index
	dir, _ := path.Split(nodePath)
	d, err := s.internalGet(dir)
	if err != nil {
		return nil, err
	}
	n := newKV(nodePath, value, index, d, expireTime)
	if err := d.Add(n); err != nil {
		return nil, err
	}

	// Node with TTL
	if expireTime.Sub(Permanent) != 0 {
		n.Expire(s)
	}

	e := newEvent(Create, nodePath, index)
	e.Value = value
	s.WatcherHub.notify(e)
	return e, nil
}

// Update function updates the value/ttl of the node.
func (s *Store) Update(nodePath string, value string, expireTime time.Time, index uint64) (*Event, error) {
	s.worldLock.Lock()
	defer s.worldLock.Unlock()

	s.Index = index
	n, err := s.internalGet(nodePath)
	if err != nil { // if the node does not exist, return error
		return nil, err
	}

	e := newEvent(Update, n.Path, index)
	e.PrevValue = n.Value
	e.Value = value
	if err := n.Write(value, index); err != nil {
		return nil, err
	}

	// update ttl
	n.UpdateTTL(expireTime, s)

	s.WatcherHub.notify(e)
	return e, nil
}

func (s *Store) Delete(nodePath string, recursive bool, index uint64) (*Event, error) {
	s.worldLock.Lock()
	defer s.worldLock.Unlock()

	s.Index = index
	n, err := s.internalGet(nodePath)
	if err != nil {
		return nil, err
	}
	e := newEvent(Delete, n.Path, index)
	e.PrevValue = n.Value
	if err := n.Remove(recursive, nil); err != nil {
		return nil, err
	}
	s.WatcherHub.notify(e)
	return e, nil
}

func (s *Store) Watch() <-chan *Event { return s.WatcherHub.watch() }

func (s *Store) internalGet(nodePath string) (*Node, error) {
	nodePath = path.Clean(path.Join("/", nodePath))

	n := s.Root
	for _, name := range strings.Split(nodePath, "/") {
		if name == "" {
			continue
		}
		if !n.IsDir() {
			return nil, errNotDir
		}
		child, ok := n.Children[name]
		if !ok {
			return nil, errKeyNotFound
		}
		n = child
	}
	return n, nil
}
