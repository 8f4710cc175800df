package serf

import (
	"errors"
	"fmt"
	"log"
	"os"
	"sync"
)

// Config is the configuration for creating a Serf instance.
type Config struct {
	NodeName    string
	KeyringFile string
	Keyring     *Keyring
	EventCh     chan<- Event
}

// Event is anything that is delivered on the event channel.
type Event interface {
	String() string
}

// Query is the struct used by EventQuery type events.
type Query struct {
	Name    string
	Payload []byte

	respCh chan<- nodeResponse
}

func (q *Query) String() string { return fmt.Sprintf("query: %s", q.Name) }

// Respond is used to send a response to the user query
func (q *Query) Respond(r nodeResponse) {
	q.respCh <- r
}

// nodeResponse is used to represent a single response from a node
type nodeResponse struct {
	From    string
	Result  bool
	Message string
	Keys    []string
}

// QueryResponse is returned for each new Query.
type QueryResponse struct {
	respCh <-chan nodeResponse
}

// Serf is a single node that is part of a single cluster that gets
// events about joins/leaves/failures/etc.
type Serf struct {
	config *Config
	logger *log.Logger

	memberLock sync.RWMutex
	members    map[string]string

	queries    chan<- Event
	keyManager *keyManager

	stateLock  sync.Mutex
	shutdown   bool
	shutdownCh chan struct{}
}

// Create creates a new Serf instance, starting all the background tasks
// to maintain cluster membership information.
func Create(conf *Config) (*Serf, error) {
	if conf.NodeName == "" {
		return nil, errors.New("node name is required")
	}
	serf := &Serf{
		config:     conf,
		logger:     log.New(os.Stderr, "", log.LstdFlags),
		members:    map[string]string{conf.NodeName: "alive"},
		shutdownCh: make(chan struct{}),
	}
	serf.queries = newSerfQueries(serf, serf.logger, conf.EventCh, serf.shutdownCh)

	// Create a key manager for handling all encryption key changes
	serf.keyManager = &keyManager{serf: serf}
	return serf, nil
}

// EncryptionEnabled is a predicate that determines whether or not encryption
// is enabled.
func (s *Serf) EncryptionEnabled() bool {
	return s.config.Keyring != nil
}

// Query is used to broadcast a new query.
func (s *Serf) Query(name string, payload []byte) (*QueryResponse, error) {
	s.stateLock.Lock()
	down := s.shutdown
	s.stateLock.Unlock()
	if down {
		return nil, errors.New("serf is shut down")
	}
	s.memberLock.RLock()
	n := len(s.members)
	s.memberLock.RUnlock()

	respCh := make(chan nodeResponse, n)
	s.queries <- &Query{Name: name, Payload: payload, respCh: respCh}
	return &QueryResponse{respCh: respCh}, nil
}

// NumNodes returns the number of nodes in the serf cluster.
func (s *Serf) NumNodes() int {
	s.memberLock.RLock()
	defer s.memberLock.RUnlock()
	return len(s.members)
}

// Shutdown forcefully shuts down the Serf instance.
func (s *Serf) Shutdown() {
	s.stateLock.Lock()
	defer s.stateLock.Unlock()
	if s.shutdown {
		return
	}
	s.shutdown = true
	close(s.shutdownCh)
}

// WriteKeyringFile will serialize the current keyring and save it to a file.
func (s *Serf) WriteKeyringFile(keyring *Keyring) error {
	if s.config.KeyringFile == "" {
		return nil
	}
	var out []byte
	for _, k := range keyring.GetKeys() {
		out = append(out, k...)
		out = append(out, '\n')
	}
	return os.WriteFile(s.config.KeyringFile, out, 0600)
}
