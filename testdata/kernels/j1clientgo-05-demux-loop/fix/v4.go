package remotecommand

import (
	"errors"
	"io"
	"sync"
)

// StreamOptions holds information pertaining to the current streaming session.
type StreamOptions struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
}

type streamCreator interface {
	CreateStream(id byte) (*stream, error)
}

// streamProtocol copies the standard streams of a remote command.
type streamProtocol struct {
	StreamOptions
	errorStream, remoteStdin, remoteStdout, remoteStderr *stream
}

func (p *streamProtocol) createStreams(conn streamCreator) error {
	var err error
	// set up error stream
	if p.errorStream, err = conn.CreateStream(streamErr); err != nil {
		return err
	}
	// set up stdin stream
	if p.Stdin != nil {
		if p.remoteStdin, err = conn.CreateStream(streamStdIn); err != nil {
			return err
		}
	}
	// set up stdout stream
	if p.Stdout != nil {
		if p.remoteStdout, err = conn.CreateStream(streamStdOut); err != nil {
			return err
		}
	}
	// set up stderr stream
	if p.Stderr != nil {
		if p.remoteStderr, err = conn.CreateStream(streamStdErr); err != nil {
			return err
		}
	}
	return nil
}

func (p *streamProtocol) stream(conn streamCreator, ready chan<- struct{}) error {
	if err := p.createStreams(conn); err != nil {
		return err
	}

	// Signal that all streams have been created.
	close(ready)

	// now that all the streams have been created, proceed with reading & copying
	errorChan := make(chan error, 1)
	go func() {
		message, err := io.ReadAll(p.errorStream)
		if err == nil && len(message) > 0 {
			err = errors.New(string(message))
		}
		errorChan <- err
	}()
	if p.Stdin != nil {
		go io.Copy(p.remoteStdin, p.Stdin)
	}
	var wg sync.WaitGroup
	copyOut := func(w io.Writer, r *stream) {
		if w != nil {
			wg.Add(1)
			go func() {
				defer wg.Done()
				io.Copy(w, r)
			}()
		}
	}
	copyOut(p.Stdout, p.remoteStdout)
	copyOut(p.Stderr, p.remoteStderr)
	// we're waiting for stdout/stderr to finish copying
	wg.Wait()
	// waits for errorStream to finish reading with an error or nil
	return <-errorChan
}
