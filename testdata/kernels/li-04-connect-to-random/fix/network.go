package simulations

import (
	"errors"
	"fmt"
	"math/rand"
	"sync"
	"time"
)

// DialBanTimeout is the time during which a connection is not dialed again.
var DialBanTimeout = 200 * time.Millisecond

// ID identifies a node of the network.
type ID string

// Client sends RPC requests to a running node.
type Client interface {
	Call(result interface{}, method string, args ...interface{}) error
}

// NodeAdapter is a node that can be started and stopped.
type NodeAdapter interface {
	Addr() []byte
	Client() (Client, error)
	Start() error
	Stop() error
}

// Network models a p2p simulation network which consists of a collection of
// simulated nodes and the connections which exist between them.
type Network struct {
	Nodes   []*Node
	nodeMap map[ID]int

	Conns   []*Conn
	connMap map[string]int

	lock sync.RWMutex
}

// NewNetwork returns a Network.
func NewNetwork() *Network {
	return &Network{
		nodeMap: make(map[ID]int),
		connMap: make(map[string]int),
	}
}

// NewNode adds a new node to the network.
func (net *Network) NewNode(id ID, adapter NodeAdapter) (*Node, error) {
	net.lock.Lock()
	defer net.lock.Unlock()

	if net.getNode(id) != nil {
		return nil, fmt.Errorf("node with ID %q already exists", id)
	}
	node := &Node{NodeAdapter: adapter, id: id}
	net.nodeMap[id] = len(net.Nodes)
	net.Nodes = append(net.Nodes, node)
	return node, nil
}

// Start starts the node with the given ID
func (net *Network) Start(id ID) error {
	net.lock.Lock()
	defer net.lock.Unlock()

	node := net.getNode(id)
	if node == nil {
		return fmt.Errorf("node %v does not exist", id)
	}
	if node.up {
		return fmt.Errorf("node %v already up", id)
	}
	if err := node.Start(); err != nil {
		return err
	}
	node.up = true
	return nil
}

// Stop stops the node with the given ID
func (net *Network) Stop(id ID) error {
	net.lock.Lock()
	defer net.lock.Unlock()

	node := net.getNode(id)
	if node == nil {
		return fmt.Errorf("node %v does not exist", id)
	}
	if !node.up {
		return fmt.Errorf("node %v already down", id)
	}
	node.up = false
	return node.Stop()
}

// Connect connects two nodes together by calling the "admin_addPeer" RPC
// method on the "one" node so that it connects to the "other" node
func (net *Network) Connect(oneID, otherID ID) error {
	net.lock.Lock()
	defer net.lock.Unlock()
	return net.connect(oneID, otherID)
}

func (net *Network) connect(oneID, otherID ID) error {
	conn, err := net.initConn(oneID, otherID)
	if err != nil {
		return err
	}
	client, err := conn.one.Client()
	if err != nil {
		return err
	}
	return client.Call(nil, "admin_addPeer", string(conn.other.Addr()))
}

// DidConnect tracks the fact that the "one" node connected to the "other" node
func (net *Network) DidConnect(one, other ID) error {
	net.lock.Lock()
	defer net.lock.Unlock()
	conn, err := net.getOrCreateConn(one, other)
	if err != nil {
		return fmt.Errorf("connection between %v and %v does not exist", one, other)
	}
	if conn.Up {
		return fmt.Errorf("%v and %v already connected", one, other)
	}
	conn.Up = true
	return nil
}

// GetNode gets the node with the given ID, returning nil if the node does not
// exist
func (net *Network) GetNode(id ID) *Node {
	net.lock.RLock()
	defer net.lock.RUnlock()
	return net.getNode(id)
}

func (net *Network) getNode(id ID) *Node {
	i, found := net.nodeMap[id]
	if !found {
		return nil
	}
	return net.Nodes[i]
}

// GetRandomUpNode returns a random node on the network, which is running.
func (net *Network) GetRandomUpNode(excludeIDs ...ID) *Node {
	net.lock.RLock()
	defer net.lock.RUnlock()
	return net.getRandomUpNode(excludeIDs...)
}

func (net *Network) getRandomUpNode(excludeIDs ...ID) *Node {
	filtered := filterIDs(net.getUpNodeIDs(), excludeIDs)

	l := len(filtered)
	if l == 0 {
		return nil
	}
	return net.getNode(filtered[rand.Intn(l)])
}

func (net *Network) getUpNodeIDs() (ids []ID) {
	for _, node := range net.Nodes {
		if node.up {
			ids = append(ids, node.ID())
		}
	}
	return ids
}

func filterIDs(ids []ID, excludeIDs []ID) []ID {
	exclude := make(map[ID]bool)
	for _, id := range excludeIDs {
		exclude[id] = true
	}
	var filtered []ID
	for _, id := range ids {
		if _, found := exclude[id]; !found {
			filtered = append(filtered, id)
		}
	}
	return filtered
}

func (net *Network) getOrCreateConn(oneID, otherID ID) (*Conn, error) {
	label := string(min(oneID, otherID)) + "-" + string(max(oneID, otherID))
	if i, found := net.connMap[label]; found {
		return net.Conns[i], nil
	}
	one := net.getNode(oneID)
	if one == nil {
		return nil, fmt.Errorf("node %v does not exist", oneID)
	}
	other := net.getNode(otherID)
	if other == nil {
		return nil, fmt.Errorf("node %v does not exist", otherID)
	}
	conn := &Conn{One: oneID, Other: otherID, one: one, other: other}
	net.connMap[label] = len(net.Conns)
	net.Conns = append(net.Conns, conn)
	return conn, nil
}

// InitConn(one, other) retrieves the connection model for the connection between
// peers one and other, or creates a new one if it does not exist
// the order of nodes does not matter, i.e., Conn(i,j) == Conn(j, i)
// it checks if the connection is already up, and if the nodes are running
func (net *Network) InitConn(oneID, otherID ID) (*Conn, error) {
	net.lock.Lock()
	defer net.lock.Unlock()
	return net.initConn(oneID, otherID)
}

func (net *Network) initConn(oneID, otherID ID) (*Conn, error) {
	if oneID == otherID {
		return nil, fmt.Errorf("refusing to connect to self %v", oneID)
	}
	conn, err := net.getOrCreateConn(oneID, otherID)
	if err != nil {
		return nil, err
	}
	if conn.Up {
		return nil, fmt.Errorf("%v and %v %w", oneID, otherID, errAlreadyConnected)
	}
	if time.Since(conn.initiated) < DialBanTimeout {
		return nil, fmt.Errorf("connection between %v and %v recently attempted", oneID, otherID)
	}
	if !conn.one.up || !conn.other.up {
		return nil, fmt.Errorf("nodes not up: %v, %v", oneID, otherID)
	}
	conn.initiated = time.Now()
	return conn, nil
}

// Reset resets all network properties:
// empties the nodes and the connection list
func (net *Network) Reset() {
	net.lock.Lock()
	defer net.lock.Unlock()

	//re-initialize the maps
	net.connMap = make(map[string]int)
	net.nodeMap = make(map[ID]int)

	net.Nodes = nil
	net.Conns = nil
}

// Node is a wrapper around NodeAdapter which is used to track the status
// of a node in the network
type Node struct {
	NodeAdapter

	id ID
	// up tracks whether or not the node is running
	up bool
}

// ID returns the ID of the node
func (n *Node) ID() ID {
	return n.id
}

// Conn represents a connection between two nodes in the network
type Conn struct {
	// One is the node which initiated the connection
	One ID
	// Other is the node which the connection was made to
	Other ID
	// Up tracks whether or not the connection is active
	Up bool
	// Registers when the connection was grabbed to dial
	initiated time.Time

	one   *Node
	other *Node
}

var errAlreadyConnected = errors.New("already connected")
