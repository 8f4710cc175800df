package servers

import "errors"

var errNoServers = errors.New("no servers")

// Client forwards RPCs of the agent to a server.
type Client struct {
	servers *Manager
	call    func(s *Server, method string, args, reply any) error
}

// RPC is used to forward an RPC call to a nomad server, or fail if no servers.
func (c *Client) RPC(method string, args, reply any) error {
	retries := c.servers.NumServers()
	for {
		server := c.servers.FindServer()
		if server == nil {
			return errNoServers
		}

		// Make the request.
		err := c.call(server, method, args, reply)
		if err == nil {
			return nil
		}

		// Move off to another server, and see if we can retry.
		c.servers.NotifyFailedServer(server)
		if retries--; retries <= 0 {
			return err
		}
	}
}
