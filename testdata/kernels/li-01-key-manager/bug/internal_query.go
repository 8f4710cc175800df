package serf

import (
	"bytes"
	"encoding/base64"
	"errors"
	"log"
	"strings"
	"sync"
)

const (
	// This is the prefix we use for queries that are internal to Serf.
	// They are handled internally, and not forwarded to a client.
	InternalQueryPrefix = "_serf_"

	installKeyQuery = "install-key"
	useKeyQuery     = "use-key"
	removeKeyQuery  = "remove-key"
	listKeysQuery   = "list-keys"
)

// internalQueryName is used to generate a query name for an internal query
func internalQueryName(name string) string {
	return InternalQueryPrefix + name
}

// Keyring holds the encryption keys of this node, the primary key first.
type Keyring struct {
	l    sync.Mutex
	keys [][]byte
}

// AddKey will install a new key on the ring.
func (k *Keyring) AddKey(key []byte) error {
	if len(key) != 16 && len(key) != 32 {
		return errors.New("key size must be 16 or 32 bytes")
	}
	k.l.Lock()
	defer k.l.Unlock()
	for _, have := range k.keys {
		if bytes.Equal(key, have) {
			return nil
		}
	}
	k.keys = append(append([][]byte(nil), k.keys...), key)
	return nil
}

// UseKey changes the key used to encrypt messages.
func (k *Keyring) UseKey(key []byte) error {
	k.l.Lock()
	defer k.l.Unlock()
	for i, have := range k.keys {
		if bytes.Equal(key, have) {
			keys := append([][]byte{have}, k.keys[:i]...)
			k.keys = append(keys, k.keys[i+1:]...)
			return nil
		}
	}
	return errors.New("requested key is not in the keyring")
}

// RemoveKey drops a key from the keyring. This will return an error if the key
// requested for removal is currently the primary key.
func (k *Keyring) RemoveKey(key []byte) error {
	k.l.Lock()
	defer k.l.Unlock()
	for i, have := range k.keys {
		if bytes.Equal(key, have) {
			if i == 0 {
				return errors.New("removing the primary key is not allowed")
			}
			k.keys = append(append([][]byte(nil), k.keys[:i]...), k.keys[i+1:]...)
			break
		}
	}
	return nil
}

// GetKeys returns the current set of keys on the ring.
func (k *Keyring) GetKeys() [][]byte {
	k.l.Lock()
	defer k.l.Unlock()
	return k.keys
}

// serfQueries is used to listen for queries that start with
// _serf and respond to them as appropriate.
type serfQueries struct {
	inCh       chan Event
	logger     *log.Logger
	outCh      chan<- Event
	serf       *Serf
	shutdownCh <-chan struct{}
}

func newSerfQueries(serf *Serf, logger *log.Logger, outCh chan<- Event, shutdownCh <-chan struct{}) chan<- Event {
	inCh := make(chan Event, 1024)
	q := &serfQueries{
		inCh:       inCh,
		logger:     logger,
		outCh:      outCh,
		serf:       serf,
		shutdownCh: shutdownCh,
	}
	go q.stream()
	return inCh
}

// stream is a long running routine to ingest the event stream
func (s *serfQueries) stream() {
	for {
		select {
		case e := <-s.inCh:
			// Check if this is a query we should process
			if q, ok := e.(*Query); ok && strings.HasPrefix(q.Name, InternalQueryPrefix) {
				go s.handleQuery(q)
			} else if s.outCh != nil {
				s.outCh <- e
			}
		case <-s.shutdownCh:
			return
		}
	}
}

// handleQuery is invoked when we get an internal query
func (s *serfQueries) handleQuery(q *Query) {
	queryName := q.Name[len(InternalQueryPrefix):]
	switch queryName {
	case installKeyQuery:
		s.handleModifyKey(q, (*Keyring).AddKey)
	case useKeyQuery:
		s.handleModifyKey(q, (*Keyring).UseKey)
	case removeKeyQuery:
		s.handleModifyKey(q, (*Keyring).RemoveKey)
	case listKeysQuery:
		s.handleListKeys(q)
	default:
		s.logger.Printf("[WARN] serf: Unhandled internal query '%s'", queryName)
	}
}

// handleModifyKey is invoked whenever a query to change the keyring is received
// from a member of the cluster. If the query fails, the response will contain
// the error message so that it may be relayed.
func (s *serfQueries) handleModifyKey(q *Query, modify func(*Keyring, []byte) error) {
	response := nodeResponse{From: s.serf.config.NodeName}
	keyring := s.serf.config.Keyring

	if !s.serf.EncryptionEnabled() {
		response.Message = "No keyring to modify (encryption not enabled)"
		s.logger.Printf("[ERR] serf: No keyring to modify (encryption not enabled)")
		goto SEND
	}

	if err := modify(keyring, q.Payload); err != nil {
		response.Message = err.Error()
		s.logger.Printf("[ERR] serf: Failed to modify keyring: %s", err)
		goto SEND
	}

	if err := s.serf.WriteKeyringFile(keyring); err != nil {
		response.Message = err.Error()
		s.logger.Printf("[ERR] serf: Failed to write keyring file: %s", err)
		goto SEND
	}

	response.Result = true

SEND:
	q.Respond(response)
}

// handleListKeys is invoked when a query is received to return a list of all
// installed keys the Serf instance knows of.
func (s *serfQueries) handleListKeys(q *Query) {
	response := nodeResponse{From: s.serf.config.NodeName}
	if s.serf.EncryptionEnabled() {
		for _, keyBytes := range s.serf.config.Keyring.GetKeys() {
			response.Keys = append(response.Keys, base64.StdEncoding.EncodeToString(keyBytes))
		}
		response.Result = true
	}
	q.Respond(response)
}
