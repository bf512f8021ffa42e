// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// @title A vote inside of a group: the chain does not see who voted, or how
contract Ballot {
    uint256 public votesFor;
    uint256 public votesAgainst;
    mapping(address voter => bool hasVoted) public hasVoted;

    event Voted(address indexed voter, bool isFor);

    error BallotVotedBefore(address voter);

    function vote(bool isFor) external {
        if (hasVoted[msg.sender]) revert BallotVotedBefore(msg.sender);
        hasVoted[msg.sender] = true;
        if (isFor) ++votesFor;
        else ++votesAgainst;
        emit Voted(msg.sender, isFor);
    }
}
