package store

import (
	"errors"
	"path"
	"sync"
	"time"
)

var (
	Permanent time.Time

	errNotFile     = errors.New("not a file")
	errNotDir      = errors.New("not a directory")
	errNodeExist   = errors.New("already exists")
	errKeyNotFound = errors.New("key not found")
)

const (
	normal = iota
	removed
)

// Node is the basic element in the store system.
// A key-value pair will have a string value
// A directory will have a children map
type Node struct {
	Path string

	CreateIndex   uint64
	ModifiedIndex uint64

	Parent *Node `json:"-"` // should not encode this field! avoid cyclical dependency.

	ExpireTime time.Time
	Value      string           // for key-value pair
	Children   map[string]*Node // for directory

	// a ttl node will have an expire routine associated with it.
	// we need a channel to stop that routine when the expiration changes.
	stopExpire chan bool

	// ensure we only delete the node once
	// expire and remove may try to delete a node twice
	once   sync.Once
	status int
}

// newKV creates a Key-Value pair
func newKV(nodePath string, value string, createIndex uint64, parent *Node, expireTime time.Time) *Node {
	return &Node{
		Path:          nodePath,
		CreateIndex:   createIndex,
		ModifiedIndex: createIndex,
		Parent:        parent,
		stopExpire:    make(chan bool, 1),
		ExpireTime:    expireTime,
		Value:         value,
	}
}

// IsPermanent function checks if the node is a permanent one.
func (n *Node) IsPermanent() bool {
	return n.ExpireTime.Sub(Permanent) == 0
}

// IsExpired function checks if the node has been expired.
func (n *Node) IsExpired() (bool, time.Duration) {
	if n.IsPermanent() {
		return false, 0
	}

	duration := time.Until(n.ExpireTime)
	if duration <= 0 {
		return true, 0
	}

	return false, duration
}

func (n *Node) IsDir() bool {
	return !(n.Children == nil)
}

// Remove function remove the node.
func (n *Node) Remove(recursive bool, callback func(path string)) error {
	if n.IsDir() && !recursive {
		return errNotFile
	}

	// this function might be entered multiple times by expire and delete
	// every node will only be deleted once.
	n.once.Do(func() {
		n.internalRemove(recursive, callback)
	})

	return nil
}

// internalRemove function will be called by remove()
func (n *Node) internalRemove(recursive bool, callback func(path string)) {
	for _, child := range n.Children { // delete all children
		child.Remove(true, callback)
	}

	// find its parent and remove the node from the map
	_, name := path.Split(n.Path)
	if n.Parent != nil && n.Parent.Children[name] == n {
		delete(n.Parent.Children, name)
	}

	if callback != nil {
		callback(n.Path)
	}

	n.status = removed
	// the stop channel has a buffer. just send to it!
	n.stopExpire <- true
}

// Write function set the value of the node to the given value.
func (n *Node) Write(value string, index uint64) error {
	if n.IsDir() {
		return errNotFile
	}

	n.Value = value
	n.ModifiedIndex = index

	return nil
}

func (n *Node) Add(child *Node) error {
	if !n.IsDir() {
		return errNotDir
	}

	_, name := path.Split(child.Path)
	if _, ok := n.Children[name]; ok {
		return errNodeExist
	}

	n.Children[name] = child

	return nil
}

// Expire function will test if the node is expired.
// if the node is already expired, delete the node and return.
// if the node is permemant (this shouldn't happen), return at once.
// else wait for a period time, then remove the node. and notify the watchhub.
func (n *Node) Expire(s *Store) {
	expired, duration := n.IsExpired()

	if expired { // has been expired
		// since the parent function of Expire() runs serially,
		// there is no need for lock here
		e := newEvent(Expire, n.Path, s.Index)
		s.WatcherHub.notify(e)

		n.Remove(true, nil)

		return
	}

	if duration == 0 { // Permanent Node
		return
	}

	stopExpire := n.stopExpire
	go func() { // do monitoring
		select {
		// if timeout, delete the node
		case <-time.After(duration):

			s.worldLock.Lock()
			defer s.worldLock.Unlock()

			if n.status == removed {
				return
			}

			// before expire get the lock, the expiration time
			// of the node may be updated.
			// we have to check again when get the lock
			expired, _ := n.IsExpired()

			if expired {
				e := newEvent(Expire, n.Path, s.Index)
				s.WatcherHub.notify(e)

				n.Remove(true, nil)
			}

			return

		// if stopped, return
		case <-stopExpire:
			return
		}
	}()
}

// UpdateTTL changes the expiration of the node.
func (n *Node) UpdateTTL(expireTime time.Time, s *Store) {
	if !n.IsPermanent() {
		// check if the node has been expired
		// if the node is not expired, we need to stop the go routine associated with
		// that node.
		expired, _ := n.IsExpired()

		if !expired {
			n.stopExpire <- true // suspend it to modify the expiration
		}
	}

	n.stopExpire = make(chan bool, 1)
	n.ExpireTime = expireTime
	if expireTime.Sub(Permanent) != 0 {
		n.Expire(s)
	}
}
