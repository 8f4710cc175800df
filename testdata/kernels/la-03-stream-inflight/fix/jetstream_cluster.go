package server

import "log"

// processClusterCreateStream is called when we have a stream assignment that
// has been committed and this server is a member of the peer group.
// <Invoked from the meta layer>
func processClusterCreateStream(acc *Account, sa *streamAssignment) {
	mset, err := acc.addStreamWithAssignment(sa.Config, sa)
	if err != nil {
		log.Printf("stream create failed for '%s > %s': %v", acc.Name, sa.Config.Name, err)
		return
	}
	mset.setStreamAssignment(sa)
}

// restartStream will recreate the stream after a reset of its state.
func restartStream(acc *Account, sa *streamAssignment) {
	go processClusterCreateStream(acc, sa)
}

// jsStreamCreateRequest is invoked from the API for each request.
func jsStreamCreateRequest(acc *Account, cfg StreamConfig) {
	go func() {
		if _, err := acc.addStream(&cfg); err != nil {
			log.Printf("stream create failed: %v", err)
		}
	}()
}
