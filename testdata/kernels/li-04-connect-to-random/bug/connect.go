package simulations

import "errors"

var (
	ErrNodeNotFound = errors.New("node not found")
)

// ConnectToRandomNode connects the node with provided NodeID
// to a random node that is up.
func (net *Network) ConnectToRandomNode(id ID) (err error) {
	selected := net.GetRandomUpNode(id)
	if selected == nil {
		return ErrNodeNotFound
	}
	return net.connect(selected.ID(), id)
}

// ConnectNodesChain connects the given nodes in a chain topology.
func (net *Network) ConnectNodesChain(ids []ID) (err error) {
	for i := 0; i < len(ids)-1; i++ {
		if err := net.connect(ids[i], ids[i+1]); err != nil {
			return err
		}
	}
	return nil
}

// connect connects two nodes but ignores already connected error.
func (net *Network) connect(oneID, otherID ID) error {
	return ignoreAlreadyConnectedErr(net.Connect(oneID, otherID))
}

func ignoreAlreadyConnectedErr(err error) error {
	if err == nil || errors.Is(err, errAlreadyConnected) {
		return nil
	}
	return err
}
